import Joi from 'joi';
import { ForbiddenError, ValidationError } from '../../core/index.js';
import type { PortalServices } from '../../domain/services.js';
import type { ManagedRecord } from '../../domain/console/index.js';
import { defineRoute } from '../define-route.js';
import { idReply, timestampReply } from '../fields.js';
import { MANAGED_KINDS, type ManagedKind } from '../managed.js';
import { may } from '../may.js';

const managed = {
  context: 'admin',
  tag: 'Managed records',
  path: '/managed-records',
  permission: 'portal.admin.access',
} as const;

const kind = Joi.string()
  .valid(...MANAGED_KINDS)
  .example('products');

interface Mark {
  id: number;
  managed_by: string | null;
  source?: string | null;
  protected?: boolean;
}

const mark = Joi.object<Mark>({
  id: Joi.number().integer().positive().max(Number.MAX_SAFE_INTEGER).required().example(1),
  managed_by: Joi.string().min(1).max(100).allow(null).required().description('null: nobody.').example('catalog'),
  source: Joi.string()
    .uri({ scheme: ['https'] })
    .max(500)
    .allow(null)
    .description('Address of the files.')
    .example('https://git.example.com/acme/catalog'),
  protected: Joi.boolean().description('Files never delete it.').example(false),
}).label('ManagedMark');

const reply = Joi.array().items(
  Joi.object({
    kind: kind.required(),
    id: idReply.required(),
    managed_by: Joi.string().required().example('catalog'),
    source: Joi.string().allow(null).required().example('https://git.example.com/acme/catalog'),
    protected: Joi.boolean().required().example(false),
    locked: Joi.boolean()
      .required()
      .description('Admins cannot change it here (`console.managedRecords`).')
      .example(false),
    updated_at: timestampReply.required(),
  }).label('ManagedRecord'),
);

export const managedRoutes = [
  defineRoute({
    ...managed,
    method: 'get',
    operation: 'listManagedRecords',
    summary: 'List records that files in a repository describe',
    description: 'Of the kinds that the caller may see; `kind` keeps one.',
    query: Joi.object<{ kind?: ManagedKind }>({ kind }),
    reply: { 200: reply },
    handle: async ({ services, actor, query }) => {
      const rows = await services.console.managed.list(query.kind);
      const kinds = [...new Set(rows.map((row) => row.kind))];
      const seen = await Promise.all(kinds.map((name) => may(services, actor, 'view', name)));
      return rows.filter((row) => seen[kinds.indexOf(row.kind)]).map((row) => present(row, services));
    },
  }),
  defineRoute({
    ...managed,
    method: 'put',
    operation: 'setManagedRecords',
    summary: 'Say which records files in a repository describe',
    description:
      'Asks for the permission to change records of the kind, and answers with those of the body. `portal apply` does it.',
    body: Joi.object<{ kind: ManagedKind; records: Mark[] }>({
      kind: kind.required(),
      records: Joi.array()
        .items(mark)
        .min(1)
        .max(500)
        .unique('id')
        .required()
        .example([{ id: 1, managed_by: 'catalog', source: null, protected: false }]),
    }).label('ManagedRecordsInput'),
    reply: { 200: reply },
    handle: async ({ services, actor, body }) => {
      if (!(await may(services, actor, 'update', body.kind))) throw new ForbiddenError();
      const marks = body.records.map(({ id, managed_by: managedBy, source = null, protected: isProtected = false }) => {
        if (managedBy?.trim() === '') throw new ValidationError({ records: ['managed_by must be a name'] });
        return { id, managedBy, source, isProtected };
      });
      await services.console.managed.mark(body.kind, marks);
      const ids = marks.map(({ id }) => id);
      return (await services.console.managed.list(body.kind, ids)).map((row) => present(row, services));
    },
  }),
];

function present(
  { kind: name, recordId, managedBy, source, isProtected, updatedAt }: ManagedRecord,
  { console: { managed: records } }: PortalServices,
) {
  const mark = { managed_by: managedBy, source, protected: isProtected, locked: records.isForbidden };
  return { kind: name, id: recordId, ...mark, updated_at: updatedAt };
}
