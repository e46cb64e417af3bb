import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_changelog_entry_translations', {
      columns: {
        entry_id: column.reference('portal_changelog_entries', { onDelete: 'cascade' }),
        locale: column.code(16),
        name: column.string(200, { nullable: true }),
        short_description: column.string(500, { nullable: true }),
        description: column.mediumtext({ nullable: true }),
      },
      primaryKey: ['entry_id', 'locale'],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_changelog_entry_translations');
  },
});
