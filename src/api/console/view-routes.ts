import Joi from 'joi';
import { ValidationError } from '../../core/index.js';
import type { SavedView } from '../../domain/console/index.js';
import type { PortalServices } from '../../domain/services.js';
import { created, OWN_ACCOUNT } from '../../http/index.js';
import { defineRoute } from '../define-route.js';
import { emptyReply, idParam, idReply, nameField, timestampReply } from '../fields.js';

const resourceField = Joi.string()
  .pattern(/^[a-z][a-z0-9-]{0,63}$/)
  .messages({ 'string.pattern.base': '{#label} must be the name of a list, such as users' })
  .example('users');

/** Percent-encoded, as browsers write it. */
const queryField = Joi.string()
  .allow('')
  .max(2000)
  .pattern(/^[!-~]*$/)
  .messages({ 'string.pattern.base': '{#label} must be percent-encoded, as in an address' })
  .description('As in the address of the list, without the question mark.')
  .example('order_by=email');

interface ViewBody {
  name?: string;
  query?: string;
  pinned?: boolean;
  is_default?: boolean;
  role_id?: number | null;
}

const fields = {
  name: nameField().example('Waiting for us'),
  query: queryField,
  pinned: Joi.boolean().description('Shown in the navigation.'),
  is_default: Joi.boolean().description('What the list opens with; takes the place of the one before.'),
  role_id: Joi.number()
    .integer()
    .positive()
    .max(Number.MAX_SAFE_INTEGER)
    .allow(null)
    .description('Shared with who has this role, which takes `portal.rbac.manage`; null: the own ones alone.')
    .example(null),
};

const newViewBody = Joi.object<ViewBody & { resource: string; name: string; query: string }>({
  resource: resourceField.required(),
  ...fields,
  name: fields.name.required(),
  query: fields.query.required(),
}).label('NewViewInput');

const viewBody = Joi.object<ViewBody>(fields).label('ViewInput');

const viewParams = Joi.object<{ id: number }>({ id: idParam });

const viewsQuery = Joi.object<{ resource?: string }>({ resource: resourceField });

const viewReply = Joi.object({
  id: idReply.required(),
  resource: Joi.string().required().example('users'),
  name: Joi.string().required().example('Waiting for us'),
  query: Joi.string().allow('').required().example('order_by=email'),
  pinned: Joi.boolean().required(),
  is_default: Joi.boolean().required(),
  role_id: Joi.number().integer().allow(null).required().example(null).description('null: the own ones alone.'),
  own: Joi.boolean().required().description('Whether the signed-in admin made it.'),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('View');

const viewListReply = Joi.array().items(viewReply);

const views = { context: 'admin', tag: 'Saved views', permission: OWN_ACCOUNT } as const;
const one = {
  ...views,
  path: '/views/:id',
  params: viewParams,
  versioned: true,
  find: ({ services, actor, params }: { services: PortalServices; actor: { id: number }; params: { id: number } }) =>
    services.console.views.find(params.id, actor.id),
} as const;

export const viewRoutes = [
  defineRoute({
    ...views,
    method: 'get',
    path: '/views',
    operation: 'listViews',
    summary: 'List the views of lists that the signed-in admin saved, or that are shared with one of their roles',
    description: 'Pinned ones first. `resource` keeps those of one list.',
    query: viewsQuery,
    reply: { 200: viewListReply },
    handle: async ({ services, actor, query }) => {
      const saved = await services.console.views.list(actor.id, query.resource);
      return saved.map((view) => presentView(view, actor.id));
    },
  }),
  defineRoute({
    ...views,
    method: 'post',
    path: '/views',
    operation: 'createView',
    summary: 'Save a view of a list',
    errors: [403, 409],
    body: newViewBody,
    reply: { 201: viewReply },
    handle: async ({ services, actor, body }) => {
      await requireRole(services, body.role_id);
      const { resource, name, query } = body;
      const view = await services.console.views.create({ ...changeOf(body), resource, name, query }, actor.id);
      return created(presentView(view, actor.id));
    },
  }),
  defineRoute({
    ...one,
    method: 'put',
    operation: 'updateView',
    record: true,
    summary: 'Rename, pin, share or replace a saved view, or make it the default',
    errors: [403],
    body: viewBody,
    reply: { 200: viewReply },
    handle: async ({ services, actor, found, body, expected }) => {
      await requireRole(services, body.role_id);
      return presentView(await services.console.views.update(found.id, changeOf(body), actor.id, expected), actor.id);
    },
  }),
  defineRoute({
    ...one,
    method: 'delete',
    operation: 'deleteView',
    summary: 'Delete a saved view',
    errors: [403],
    reply: { 200: emptyReply },
    handle: async ({ services, actor, found, expected }) => {
      await services.console.views.delete(found.id, actor.id, expected);
      return {};
    },
  }),
];

function changeOf({ name, query, pinned, is_default: isDefault, role_id: roleId }: ViewBody) {
  return { name, query, isPinned: pinned, isDefault, roleId };
}

/** @throws ValidationError on `role_id` for a role that does not exist */
async function requireRole({ rbac }: PortalServices, roleId: number | null | undefined): Promise<void> {
  if (roleId === null || roleId === undefined) return;
  if ((await rbac.roles()).some(({ id }) => id === roleId)) return;
  throw new ValidationError({ role_id: ['This role does not exist.'] });
}

function presentView(view: SavedView, adminId: number) {
  return {
    id: view.id,
    resource: view.resource,
    name: view.name,
    query: view.query,
    pinned: view.isPinned,
    is_default: view.isDefault,
    role_id: view.roleId,
    own: view.adminId === adminId,
    created_at: view.createdAt,
    updated_at: view.updatedAt,
  };
}
