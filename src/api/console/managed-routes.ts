import Joi from 'joi';
import { ForbiddenError, MalformedRequestError, ValidationError } from '../../core/index.js';
import type { PortalServices } from '../../domain/services.js';
import type { ManagedRecord, WantedChange } from '../../domain/console/index.js';
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

const MOST_BYTES = 64 * 1024 * 1024;

const wantedChange = Joi.object<WantedChange>({
  kind: Joi.string().max(40).required(),
  key: Joi.string().max(300).required(),
  what: Joi.string().valid('create', 'update', 'draft', 'delete', 'manage').required(),
  etag: Joi.string().max(40).allow(null).required(),
  doc: Joi.object().unknown().required(),
  files: Joi.object().pattern(Joi.string().max(40), Joi.string().allow('')).required(),
  manager: Joi.object({ name: Joi.string().max(100).required(), source: mark.extract('source').required() })
    .allow(null)
    .required(),
  protected: Joi.boolean().required(),
});

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
  defineRoute({
    ...managed,
    method: 'post',
    path: '/managed-records/changes',
    operation: 'applyManagedChanges',
    summary: 'Make and change records as files in a repository say',
    description:
      'What `portal apply --server` sends: all of it is done in one transaction, or nothing. The field `changes` of the form ' +
      'holds a line of JSON for each record. Each change asks for the permission that the operation of its own asks for, and a ' +
      'version that moved refuses all of it (409 on `etag`).',
    errors: [409],
    upload: { field: 'changes', types: ['application/x-ndjson'], maxBytes: () => MOST_BYTES },
    reply: { 200: Joi.object({ applied: Joi.number().integer().required().example(1) }).label('AppliedChanges') },
    handle: async ({ services, actor, request, locale, upload }) => {
      const changes = readChanges(upload.bytes);
      await services.console.operations.apply(changes, { actor, request, locale });
      return { applied: changes.length };
    },
  }),
];

/** Line by line, so that no more than one is parsed at once. @throws MalformedRequestError, ValidationError on `changes` */
function readChanges(bytes: Buffer): WantedChange[] {
  const lines = bytes.toString('utf8').split('\n');
  return lines.flatMap((line, at) => {
    if (line.trim() === '') return [];
    const read = wantedChange.validate(parseLine(line), { convert: false });
    if (read.error) throw new ValidationError({ changes: [`line ${at + 1}: ${read.error.message}`] });
    return [read.value];
  });
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new MalformedRequestError({ cause });
  }
}

function present(
  { kind: name, recordId, managedBy, source, isProtected, updatedAt }: ManagedRecord,
  { console: { managed: records } }: PortalServices,
) {
  const mark = { managed_by: managedBy, source, protected: isProtected, locked: records.isForbidden };
  return { kind: name, id: recordId, ...mark, updated_at: updatedAt };
}
