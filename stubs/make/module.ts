import {
  column,
  ConflictError,
  defineMigration,
  definePage,
  definePortalModule,
  defineRoute,
  Joi,
  option,
  View,
  type Database,
} from 'portalkit';

const createEntries = defineMigration({
  async up(schema) {
    await schema.createTable('{{snake}}_entries', {
      columns: {
        id: column.id(),
        user_id: column.reference('portal_users', { onDelete: 'cascade' }),
        body: column.string(500),
        created_at: column.datetime(),
      },
      indexes: [['user_id', 'id']],
    });
  },
  async down(schema) {
    await schema.dropTable('{{snake}}_entries');
  },
});

interface Entry {
  readonly id: number;
  readonly body: string;
}

function entriesOf(database: Database, userId: number): Promise<Entry[]> {
  return database.select<Entry>('SELECT id, body FROM {{snake}}_entries WHERE user_id = ? ORDER BY id LIMIT 100', [
    userId,
  ]);
}

const entryReply = Joi.object({ id: Joi.number().required(), body: Joi.string().required() }).label('{{Name}}Entry');

/**
 * What a developer notes down. A module brings everything that belongs together: settings under its name (`{{camel}}.limit`,
 * `{{ENV}}_LIMIT`), tables, endpoints, pages with templates and words, listeners, jobs, steps of the login.
 */
export const {{camel}} = definePortalModule({
  name: '{{camel}}',
  config: {
    limit: option.integer(10, 'Most entries of one developer.', { min: 1, max: 100 }),
  },
  migrations: { '{{stamp}}-create-{{name}}-entries': createEntries },
  templates: new URL('./templates', import.meta.url),
  register: ({ options, database, clock }) => ({
    routes: [
      defineRoute({
        method: 'get',
        path: '/me/{{name}}',
        context: 'consumer',
        operation: 'list{{Name}}Entries',
        tag: '{{Title}}',
        summary: 'List the own entries',
        reply: { 200: Joi.array().items(entryReply).label('{{Name}}Entries') },
        handle: ({ actor }) => entriesOf(database, actor.id),
      }),
      defineRoute({
        method: 'post',
        path: '/me/{{name}}',
        context: 'consumer',
        operation: 'create{{Name}}Entry',
        tag: '{{Title}}',
        summary: 'Note something down',
        body: Joi.object<{ body: string }>({ body: Joi.string().max(500).required() }).label('{{Name}}EntryInput'),
        reply: { 200: Joi.array().items(entryReply).label('{{Name}}Entries') },
        handle: async ({ actor, body }) => {
          await database.transaction(async (transaction) => {
            // Locks the developer's row, so that two requests at once cannot both take the last place.
            await database.execute('UPDATE portal_users SET id = id WHERE id = ?', [actor.id], { transaction });
            const sql = 'SELECT COUNT(*) AS count FROM {{snake}}_entries WHERE user_id = ?';
            const [row] = await database.select<{ count: number }>(sql, [actor.id], { transaction });
            if (Number(row?.count) >= options.limit) throw new ConflictError();
            await database.execute(
              'INSERT INTO {{snake}}_entries (user_id, body, created_at) VALUES (?, ?, ?)',
              [actor.id, body.body, clock.now()],
              { transaction },
            );
          });
          return entriesOf(database, actor.id);
        },
      }),
    ],
    pages: [
      definePage({
        method: 'get',
        path: '/{{name}}',
        audience: 'developers',
        handle: async ({ actor }) => new View('{{name}}', { entries: await entriesOf(database, actor.id) }),
      }),
    ],
    accountLinks: [{ path: '/{{name}}', words: '{{name}}.title' }],
  }),
});
