import { defineMigration } from '../migration.js';

const TABLE = 'portal_webhook_deliveries';
const BEFORE = [
  ['endpoint_id', 'state', 'due_at'],
  ['state', 'due_at'],
];

/**
 * One index finds both which endpoints have something queued and what is due for one of them: it is skipped through by
 * endpoint, however much waits for one that hangs.
 */
export const migration = defineMigration({
  async up(schema) {
    await schema.addIndex(TABLE, ['state', 'endpoint_id', 'due_at']);
    for (const columns of BEFORE) await schema.dropIndex(TABLE, columns);
  },
  async down(schema) {
    for (const columns of BEFORE) await schema.addIndex(TABLE, columns);
    await schema.dropIndex(TABLE, ['state', 'endpoint_id', 'due_at']);
  },
});
