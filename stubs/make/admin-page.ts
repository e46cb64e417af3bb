import {
  defineAdminResource,
  defineRoute,
  Joi,
  mapPage,
  paginated,
  productListOptions,
  type ProductRecord,
} from 'portalkit';

/** A line of the list; the documentation of the API is made from it too. */
const itemReply = Joi.object({
  id: Joi.number().integer().required(),
  name: Joi.string().required(),
  visibility: Joi.string().required(),
  described: Joi.boolean().required(),
  updated_at: Joi.date().required(),
}).label('{{Name}}Item');

function present({ id, name, visibility, shortDescription, updatedAt }: ProductRecord) {
  return { id, name, visibility, described: shortDescription !== '', updated_at: updatedAt };
}

const common = { context: 'admin', tag: '{{Title}}', policy: ['view', 'products'] } as const;

/** Operations of the admin API, which the console runs: who may call them is who sees the page. For `routes` of portal.config.ts. */
export const {{camel}}AdminRoutes = [
  defineRoute({
    ...common,
    method: 'get',
    path: '/{{name}}',
    operation: 'listAdmin{{Name}}',
    summary: 'List {{title}}',
    list: productListOptions,
    reply: { 200: Joi.array().items(itemReply).label('{{Name}}AdminList') },
    handle: async ({ services, list, locale }) =>
      paginated(mapPage(await services.catalog.products.listAll(list, locale), present)),
  }),
  defineRoute({
    ...common,
    method: 'get',
    path: '/{{name}}/:id',
    operation: 'getAdmin{{Name}}',
    summary: 'Show one of {{title}}',
    params: Joi.object<{ id: string }>({ id: Joi.string().max(100).required() }),
    reply: { 200: itemReply },
    find: ({ services, params }) => services.catalog.products.findForAdmin(params.id),
    handle: ({ found }) => present(found),
  }),
];

/**
 * The pages at /admin/{{name}}: filters and order come from the list, forms from the bodies of the operations `create` and
 * `update`, once there are any. For `adminResources` of portal.config.ts.
 */
export const {{camel}}Page = defineAdminResource({
  name: '{{name}}',
  group: 'catalog',
  labels: ['{{Title}}', '{{Title}}'],
  title: 'name',
  operations: { list: 'listAdmin{{Name}}', show: 'getAdmin{{Name}}' },
  columns: [
    { field: 'name' },
    { field: 'visibility', as: 'badge' },
    { field: 'described', as: 'flag' },
    { field: 'updated_at', as: 'date' },
  ],
});
