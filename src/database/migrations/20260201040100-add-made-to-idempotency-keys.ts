import { column, defineMigration } from '../migration.js';

/** What a request has created, encrypted, written in the same transaction; its answer is stored only afterwards. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_idempotency_keys', 'made', column.mediumtext({ nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_idempotency_keys', 'made');
  },
});
