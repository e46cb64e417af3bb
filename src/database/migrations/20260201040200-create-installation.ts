import { randomUUID } from 'node:crypto';
import { column, defineMigration } from '../migration.js';

/** Identifies this portal among others that use the same gateway. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_installation', {
      columns: { id: column.integer(), installation: column.code(36) },
      primaryKey: ['id'],
    });
    await schema.execute(
      `INSERT INTO portal_installation (id, installation)
       SELECT 1, '${randomUUID()}' WHERE NOT EXISTS (SELECT 1 FROM portal_installation)`,
    );
  },
  async down(schema) {
    await schema.dropTable('portal_installation');
  },
});
