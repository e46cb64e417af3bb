import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_audiences', {
      columns: {
        id: column.id(),
        name: column.string(100),
        description: column.string(500, { default: '' }),
        ...column.timestamps(),
      },
      unique: [['name']],
      indexes: [
        ['created_at', 'id'],
        ['updated_at', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_audiences');
  },
});
