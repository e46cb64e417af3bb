import { column, defineMigration } from '../migration.js';

const TABLE = 'portal_apps';

/** When the first call of an app was allowed. Of apps that exist it is the next one that is allowed. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn(TABLE, 'first_called_at', column.datetime({ nullable: true }));
    await schema.addIndex(TABLE, ['first_called_at']);
  },
  async down(schema) {
    await schema.dropIndex(TABLE, ['first_called_at']);
    await schema.dropColumn(TABLE, 'first_called_at');
  },
});
