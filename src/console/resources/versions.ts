import { defineAdminResource, valueAt, type Action, type ApiRecord, type RecordParams } from '../resource.js';

const productOf = (record: ApiRecord) => (valueAt(record, 'product.id') ?? '') as number;
const hasDocument = ({ has_spec: has }: ApiRecord) => has === true;

/** What is asked when a document is uploaded. */
export const documentForm = {
  spec: { kind: 'long' },
  url: { kind: 'url' },
  source: { kind: 'url' },
  dry_run: { omit: true },
} as const;

/** To what a document changes for callers, where it changes anything. */
export const toChanges: Action['follows'] = ({ document_id: document, spec_changes: changes }, { id = '' }) => {
  const { breaking = 0, warning = 0, info = 0 } = (changes ?? {}) as Readonly<Record<string, number>>;
  return document === null || breaking + warning + info === 0 ? null : documentAt(id, document as number, 'compare');
};

/** From an entry of the changelog to one of the documents that it was drafted from. */
export function linkToDocument(field: string) {
  return (record: ApiRecord) =>
    typeof record[field] === 'number' ? documentAt(productOf(record), record[field]) : null;
}

function documentAt(id: string | number, document: number, below?: string) {
  return { resource: 'product-documents', params: { id, document }, ...(below !== undefined && { below }) };
}

/** The versions of products. */
export const productVersions = defineAdminResource({
  name: 'product-versions',
  group: 'catalog',
  title: 'name',
  params: ['id', 'name'],
  paramsOf: (record): RecordParams => ({ id: productOf(record), name: (record.name ?? '') as string }),
  operations: { show: 'getProductVersion', update: 'updateProductVersion', delete: 'deleteProductVersion' },
  columns: [
    { field: 'name', as: 'code' },
    { field: 'state', as: 'badge' },
    { field: 'is_default', as: 'flag' },
    { field: 'has_spec', as: 'flag' },
    { field: 'updated_at', as: 'date' },
  ],
  facts: [
    { field: 'product.name', label: 'product' },
    { field: 'state', as: 'badge' },
    { field: 'is_default', as: 'flag' },
    { field: 'has_spec', as: 'flag' },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date' },
  ],
  // Its address: a draft is made anew instead.
  form: { name: { omit: true } },
  actions: [
    { name: 'document', operation: 'setProductVersionSpec', form: documentForm, follows: toChanges },
    { name: 'remove-document', operation: 'deleteProductVersionSpec', tone: 'danger', offered: hasDocument },
  ],
  template: 'console/product-version',
});

/** The documents that products were given, of which nothing is changed. */
export const productDocuments = defineAdminResource({
  name: 'product-documents',
  group: 'catalog',
  title: 'hash',
  params: ['id', 'document'],
  paramsOf: (record): RecordParams => ({ id: productOf(record), document: (record.id ?? '') as number }),
  operations: { show: 'getProductDocument' },
  columns: [
    { field: 'created_at', as: 'date' },
    { field: 'version', as: 'code' },
    { field: 'author.name', label: 'author' },
    { field: 'commit', as: 'code' },
    { field: 'breaking', as: 'number' },
    { field: 'warnings', as: 'number' },
    { field: 'infos', as: 'number', hidden: true },
  ],
  facts: [
    { field: 'product.name', label: 'product' },
    { field: 'version', as: 'code' },
    { field: 'hash', as: 'code' },
    { field: 'author.name', label: 'author' },
    { field: 'commit', as: 'code' },
    { field: 'source', as: 'code' },
    { field: 'reason', as: 'long' },
    { field: 'breaking', as: 'number' },
    { field: 'warnings', as: 'number' },
    { field: 'infos', as: 'number' },
    { field: 'created_at', as: 'date' },
  ],
  further: ['compareProductDocuments'],
  template: 'console/product-document',
});
