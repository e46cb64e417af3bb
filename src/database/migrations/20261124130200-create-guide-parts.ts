import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_guide_translations', {
      columns: {
        guide_id: column.reference('portal_guides', { onDelete: 'cascade' }),
        locale: column.code(16),
        name: column.string(200, { nullable: true }),
        short_description: column.string(500, { nullable: true }),
        description: column.mediumtext({ nullable: true }),
        nav_group: column.string(100, { nullable: true }),
      },
      primaryKey: ['guide_id', 'locale'],
    });
    await schema.createTable('portal_guide_audiences', {
      columns: {
        guide_id: column.reference('portal_guides', { onDelete: 'cascade' }),
        audience_id: column.reference('portal_audiences', { onDelete: 'cascade' }),
      },
      primaryKey: ['guide_id', 'audience_id'],
      indexes: [['audience_id', 'guide_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_guide_audiences');
    await schema.dropTable('portal_guide_translations');
  },
});
