import { defineAdminResource, valueAt, type RecordParams } from '../resource.js';
import { documentForm, linkToDocument, toChanges } from './versions.js';

const categoryChoices = { operation: 'listAdminCategories', value: 'slug', label: 'name' };
const audienceChoices = { operation: 'listAudiences', value: 'name', label: 'name' };
const planChoices = { operation: 'listPlans', value: 'slug', label: 'name' };

export const products = defineAdminResource({
  name: 'products',
  importable: true,
  group: 'catalog',
  title: 'name',
  subject: 'product',
  usageOf: ({ slug }) => ({ product: String(slug), by: 'app' }),
  operations: {
    list: 'listProducts',
    show: 'getProduct',
    create: 'createProduct',
    update: 'updateProduct',
    delete: 'deleteProduct',
  },
  query: { with: 'audiences' },
  columns: [
    { field: 'thumbnail_url', as: 'picture' },
    { field: 'name' },
    { field: 'slug', as: 'code' },
    { field: 'visibility', as: 'badge' },
    { field: 'approval', as: 'badge', hidden: true },
    { field: 'categories', as: 'tags' },
    { field: 'audiences', as: 'tags', hidden: true },
    { field: 'updated_at', as: 'date' },
  ],
  facts: [
    { field: 'slug', as: 'code' },
    { field: 'visibility', as: 'badge' },
    { field: 'approval', as: 'badge' },
    { field: 'gateway_product_id', as: 'code' },
    { field: 'agents', as: 'flag' },
    { field: 'categories', as: 'tags' },
    { field: 'audiences', as: 'tags' },
    { field: 'plans', as: 'tags' },
    { field: 'default_plan', as: 'code' },
    { field: 'tags', as: 'tags' },
    { field: 'custom_attributes', as: 'json' },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date' },
  ],
  form: {
    categories: { choices: categoryChoices },
    audiences: { choices: audienceChoices },
    plans: { choices: planChoices },
    default_plan: { choices: planChoices },
    thumbnail_url: { omit: true },
  },
  actions: [
    { name: 'document', operation: 'setProductSpec', form: documentForm, follows: toChanges },
    {
      name: 'remove-document',
      operation: 'deleteProductSpec',
      tone: 'danger',
      offered: ({ spec_url: url }) => url !== null,
    },
    { name: 'workflows', operation: 'setProductWorkflows' },
    {
      name: 'remove-workflows',
      operation: 'deleteProductWorkflows',
      tone: 'danger',
      offered: ({ workflows_url: url }) => url !== null,
    },
    { name: 'picture', operation: 'setProductThumbnail' },
    {
      name: 'remove-picture',
      operation: 'deleteProductThumbnail',
      tone: 'danger',
      offered: ({ thumbnail_url: url }) => url !== null,
    },
    { name: 'categories', operation: 'setProductCategories', form: { categories: { choices: categoryChoices } } },
    { name: 'audiences', operation: 'setProductAudiences', form: { audiences: { choices: audienceChoices } } },
    {
      name: 'plans',
      operation: 'setProductPlans',
      form: { plans: { choices: planChoices }, default_plan: { choices: planChoices } },
    },
    { name: 'new-change', operation: 'createProductChange' },
    { name: 'new-deprecation', operation: 'createProductDeprecation', form: { brownouts: { omit: true } } },
    { name: 'new-product-version', operation: 'createProductVersion' },
  ],
  impact: [{ resource: 'apps', operation: 'listAllApps', filters: ({ slug }) => ({ product: slug }) }],
  related: [
    { resource: 'product-versions', operation: 'listProductVersions' },
    { resource: 'product-documents', operation: 'listProductDocuments' },
    { resource: 'changes', operation: 'listProductChanges' },
    { resource: 'deprecations', operation: 'listProductDeprecations' },
  ],
  template: 'console/product',
});

export const categories = defineAdminResource({
  name: 'categories',
  group: 'catalog',
  title: 'name',
  subject: 'category',
  operations: {
    list: 'listAdminCategories',
    show: 'getCategory',
    create: 'createCategory',
    update: 'updateCategory',
    delete: 'deleteCategory',
  },
  columns: [
    { field: 'thumbnail_url', as: 'picture' },
    { field: 'name' },
    { field: 'slug', as: 'code' },
    { field: 'updated_at', as: 'date' },
  ],
  form: { thumbnail_url: { omit: true } },
  impact: [{ resource: 'products', operation: 'listProducts', filters: ({ slug }) => ({ category: slug }) }],
  actions: [
    { name: 'picture', operation: 'setCategoryThumbnail' },
    {
      name: 'remove-picture',
      operation: 'deleteCategoryThumbnail',
      tone: 'danger',
      offered: ({ thumbnail_url: url }) => url !== null,
    },
  ],
});

export const gatewayProducts = defineAdminResource({
  name: 'gateway-products',
  group: 'catalog',
  title: 'name',
  params: ['name'],
  operations: { list: 'listGatewayProducts' },
  columns: [
    { field: 'name', as: 'code' },
    { field: 'display_name' },
    { field: 'description' },
    {
      field: 'product',
      leadsTo: ({ product }) =>
        product ? { resource: 'products', params: { id: (product as { id: number }).id } } : null,
    },
  ],
});

/** What changed in products. */
export const changelog = defineAdminResource({
  name: 'changes',
  group: 'catalog',
  title: 'name',
  params: ['id', 'change'],
  paramsOf: (record): RecordParams => ({
    id: (valueAt(record, 'product.id') ?? '') as number,
    change: (record.id ?? '') as number,
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
    { field: 'description', as: 'prose' },
    { field: 'document_id', label: 'new-document', as: 'number', leadsTo: linkToDocument('document_id') },
    {
      field: 'previous_document_id',
      label: 'old-document',
      as: 'number',
      leadsTo: linkToDocument('previous_document_id'),
    },
    { field: 'published_at', as: 'date' },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date' },
  ],
  actions: [
    {
      name: 'publish',
      operation: 'publishProductChange',
      tone: 'good',
      offered: ({ status }) => status === 'draft',
      callers: {
        operation: 'listProductCallers',
        page: ({ id }) => `/products/${id}/callers`,
        offered: ({ kind }) => kind === 'breaking' || kind === 'deprecation',
      },
    },
  ],
});

const CALLERS_OF_END = {
  operation: 'listDeprecationCallers',
  page: ({ id, deprecation }: RecordParams) => `/deprecations/${id}/${deprecation}/callers`,
};

/** What of products ends. */
export const deprecations = defineAdminResource({
  name: 'deprecations',
  group: 'catalog',
  title: 'name',
  params: ['id', 'deprecation'],
  paramsOf: (record): RecordParams => ({
    id: (valueAt(record, 'product.id') ?? '') as number,
    deprecation: (record.id ?? '') as number,
  }),
  operations: {
    show: 'getProductDeprecation',
    update: 'updateProductDeprecation',
    delete: 'deleteProductDeprecation',
  },
  columns: [
    { field: 'name' },
    { field: 'state', as: 'badge' },
    { field: 'deprecated_at', as: 'date' },
    { field: 'sunset_at', as: 'date' },
  ],
  facts: [
    { field: 'product.name', label: 'product' },
    { field: 'version', as: 'code' },
    { field: 'method', as: 'code' },
    { field: 'path', as: 'code' },
    { field: 'base_path', as: 'code' },
    { field: 'state', as: 'badge' },
    { field: 'deprecated_at', as: 'date' },
    { field: 'sunset_at', as: 'date' },
    { field: 'closes', as: 'badge' },
    { field: 'replacement_url' },
    { field: 'guide_url' },
    { field: 'description', as: 'long' },
    { field: 'brownouts', as: 'json' },
    { field: 'announced_at', as: 'date' },
    { field: 'retired_at', as: 'date' },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date' },
  ],
  form: { brownouts: { kind: 'json' } },
  actions: [
    {
      name: 'announce',
      operation: 'announceProductDeprecation',
      offered: ({ state }) => state === 'draft',
      callers: CALLERS_OF_END,
    },
    {
      name: 'retire',
      operation: 'retireProductDeprecation',
      tone: 'danger',
      offered: ({ state }) => state === 'announced',
      callers: CALLERS_OF_END,
    },
  ],
});
