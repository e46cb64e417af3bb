import { column, defineMigration } from '../migration.js';

/** The texts that guides of the console once had, so that an edit can be taken back. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_guide_versions', {
      columns: {
        id: column.id(),
        guide_id: column.reference('portal_guides', { onDelete: 'cascade' }),
        name: column.string(200),
        short_description: column.string(500, { default: '' }),
        description: column.longtext(),
        nav_group: column.string(100, { default: '' }),
        translations: column.json(),
        author_type: column.code(16),
        author_id: column.bigint({ nullable: true }),
        author_name: column.string(200, { nullable: true }),
        created_at: column.datetime(),
      },
      indexes: [
        ['guide_id', 'id'],
        ['guide_id', 'created_at', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_guide_versions');
  },
});
