import { column, defineMigration } from 'portalkit';

/** One row for each app that waits or waited; `stage` is `legal`, `business` or `cleared`. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('acme_reviews', {
      columns: {
        id: column.id(),
        app_id: column.reference('portal_apps', { onDelete: 'cascade' }),
        stage: column.code(16),
        cleared_by: column.bigint({ nullable: true }),
        ...column.timestamps(),
      },
      unique: [['app_id']],
      indexes: [['stage', 'id']],
    });
  },

  async down(schema) {
    await schema.dropTable('acme_reviews');
  },
});
