import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_roles', {
      columns: {
        id: column.id(),
        name: column.code(100),
        label: column.string(200),
        ...column.timestamps(),
      },
      unique: [['name']],
      indexes: [
        ['created_at', 'id'],
        ['updated_at', 'id'],
        ['label', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_roles');
  },
});
