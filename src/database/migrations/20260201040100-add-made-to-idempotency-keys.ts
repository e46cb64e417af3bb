import { column, defineMigration } from '../migration.js';

/** What a request has made, encrypted, written with the work itself: its answer is kept only afterwards. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_idempotency_keys', 'made', column.mediumtext({ nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_idempotency_keys', 'made');
  },
});
