import { defineAdminResource, valueAt, type RecordParams } from '../resource.js';

/** What changed in products. */
export const changelog = defineAdminResource({
  name: 'changes',
  group: 'catalog',
  title: 'name',
  params: ['id', 'entry'],
  paramsOf: (record): RecordParams => ({
    id: (valueAt(record, 'product.id') ?? '') as number,
    entry: (record.id ?? '') as number,
  }),
  operations: { show: 'getProductChange', update: 'updateProductChange', delete: 'deleteProductChange' },
  columns: [
    { field: 'name' },
    { field: 'kind', as: 'badge' },
    { field: 'version' },
    { field: 'status', as: 'badge' },
    { field: 'published_at', as: 'date' },
  ],
  facts: [
    { field: 'kind', as: 'badge' },
    { field: 'version' },
    { field: 'status', as: 'badge' },
    { field: 'short_description' },
    { field: 'description', as: 'long' },
    { field: 'published_at', as: 'date' },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date' },
  ],
  actions: [
    { name: 'publish', operation: 'publishProductChange', tone: 'good', offered: ({ status }) => status === 'draft' },
  ],
});
