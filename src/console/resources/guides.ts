import { defineAdminResource, valueAt, type ApiRecord, type RecordParams } from '../resource.js';

const ofGuide = ({ id }: ApiRecord) => ({ guide_id: id });
const toGuide = ({ guide }: ApiRecord) => ({ resource: 'guides', params: { id: (guide as { id: number }).id } });

export const guides = defineAdminResource({
  name: 'guides',
  group: 'site',
  title: 'name',
  subject: 'guide',
  operations: {
    list: 'listAdminGuides',
    show: 'getAdminGuide',
    create: 'createGuide',
    update: 'updateGuide',
    delete: 'deleteGuide',
  },
  columns: [
    { field: 'name' },
    { field: 'kind', as: 'badge' },
    { field: 'visibility', as: 'badge' },
    { field: 'product.name', label: 'product' },
    { field: 'group' },
    { field: 'position', as: 'number', hidden: true },
    { field: 'file', as: 'code' },
    { field: 'published_at', as: 'date', hidden: true },
    { field: 'updated_at', as: 'date' },
  ],
  facts: [
    { field: 'slug', as: 'code' },
    { field: 'kind', as: 'badge' },
    { field: 'visibility', as: 'badge' },
    {
      field: 'product.name',
      label: 'product',
      leadsTo: ({ product }) =>
        product ? { resource: 'products', params: { id: (product as { id: number }).id } } : null,
    },
    { field: 'audiences', as: 'tags' },
    { field: 'group' },
    { field: 'position', as: 'number' },
    { field: 'file', as: 'code' },
    { field: 'published_at', as: 'date' },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date' },
  ],
  form: {
    product: { choices: { operation: 'listProducts', value: 'slug', label: 'name' } },
    audiences: { choices: { operation: 'listAudiences', value: 'name', label: 'name' } },
  },
  locked: ({ file }) => file !== null,
  related: [
    { resource: 'guide-votes', operation: 'listGuideVotes', filters: ofGuide },
    { resource: 'guide-remarks', operation: 'listGuideRemarks', filters: ofGuide },
    { resource: 'guide-versions', operation: 'listGuideVersions' },
  ],
  template: 'console/guide',
  sheets: ['guides.css'],
});

/** What guides said before. */
export const guideVersions = defineAdminResource({
  name: 'guide-versions',
  group: 'site',
  title: 'name',
  params: ['id', 'version'],
  paramsOf: (record): RecordParams => ({
    id: (valueAt(record, 'guide.id') ?? '') as number,
    version: (record.id ?? '') as number,
  }),
  operations: { show: 'getGuideVersion' },
  sheets: ['guides.css'],
  columns: [
    { field: 'created_at', as: 'date' },
    { field: 'name' },
    { field: 'author.name', label: 'author' },
    { field: 'author.type', label: 'author-type', as: 'badge', hidden: true },
  ],
  facts: [
    { field: 'guide.name', label: 'guide', leadsTo: toGuide },
    { field: 'author.name', label: 'author' },
    { field: 'author.type', label: 'author-type', as: 'badge' },
    { field: 'created_at', as: 'date' },
    { field: 'name' },
    { field: 'short_description' },
    { field: 'group' },
    { field: 'description', as: 'guide' },
    { field: 'translations', as: 'json' },
  ],
  actions: [
    {
      name: 'restore-texts',
      operation: 'restoreGuideVersion',
      follows: (guide) => ({ resource: 'guides', params: { id: guide.id as number } }),
    },
  ],
});

/** How many readers guides helped. */
export const guideVotes = defineAdminResource({
  name: 'guide-votes',
  group: 'site',
  title: 'guide.name',
  operations: { list: 'listGuideVotes' },
  columns: [
    { field: 'guide.name', label: 'guide', leadsTo: toGuide },
    { field: 'guide.kind', label: 'kind', as: 'badge', hidden: true },
    { field: 'helpful', as: 'count' },
    { field: 'unhelpful', as: 'count' },
    { field: 'updated_at', as: 'date' },
  ],
});

/** What readers wrote about guides. */
export const guideRemarks = defineAdminResource({
  name: 'guide-remarks',
  group: 'site',
  title: 'remark',
  operations: { list: 'listGuideRemarks' },
  columns: [
    { field: 'remark' },
    { field: 'is_helpful', as: 'flag' },
    { field: 'guide.name', label: 'guide', leadsTo: toGuide },
    { field: 'locale', as: 'code' },
    { field: 'created_at', as: 'date' },
  ],
});
