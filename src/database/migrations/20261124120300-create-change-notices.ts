import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_change_notices', {
      columns: {
        id: column.id(),
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        kind: column.code(16),
        entry_id: column.reference('portal_changelog_entries', { onDelete: 'cascade', nullable: true }),
        deprecation_id: column.reference('portal_deprecations', { onDelete: 'cascade', nullable: true }),
        stage: column.code(32),
        days_left: column.integer({ nullable: true }),
        state: column.code(16),
        created_at: column.datetime(),
      },
      unique: [
        ['entry_id', 'stage'],
        ['deprecation_id', 'stage'],
      ],
      indexes: [['state', 'id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_change_notices');
  },
});
