import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_settings', {
      columns: {
        id: column.id(),
        setting_key: column.code(100),
        value: column.text({ nullable: true }),
        type: column.code(16),
        label: column.string(200),
        setting_group: column.string(100),
        is_public: column.boolean({ default: false }),
        ...column.timestamps(),
      },
      unique: [['setting_key']],
      indexes: [['created_at', 'id'], ['updated_at', 'id'], ['setting_group', 'setting_key'], ['is_public']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_settings');
  },
});
