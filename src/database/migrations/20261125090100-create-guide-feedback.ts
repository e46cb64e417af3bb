import { column, defineMigration } from '../migration.js';

/** How many readers a guide helped, and what they wrote about it. Nothing of who they are. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_guide_votes', {
      columns: {
        id: column.id(),
        guide_id: column.reference('portal_guides', { onDelete: 'cascade' }),
        helpful: column.integer(),
        unhelpful: column.integer(),
        updated_at: column.datetime(),
      },
      unique: [['guide_id']],
      indexes: [
        ['helpful', 'id'],
        ['unhelpful', 'id'],
        ['updated_at', 'id'],
      ],
    });
    await schema.createTable('portal_guide_remarks', {
      columns: {
        id: column.id(),
        guide_id: column.reference('portal_guides', { onDelete: 'cascade' }),
        locale: column.code(16),
        is_helpful: column.boolean(),
        remark: column.string(500),
        created_at: column.datetime(),
      },
      indexes: [
        ['guide_id', 'created_at', 'id'],
        ['created_at', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_guide_remarks');
    await schema.dropTable('portal_guide_votes');
  },
});
