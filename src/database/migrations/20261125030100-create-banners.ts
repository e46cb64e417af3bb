import { column, defineMigration } from '../migration.js';

/** What the portal or a product tells its readers for some time: maintenance, an incident, news. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_banners', {
      columns: {
        id: column.id(),
        product_id: column.reference('portal_products', { onDelete: 'cascade', nullable: true }),
        level: column.code(16),
        name: column.string(200),
        short_description: column.string(500, { default: '' }),
        starts_at: column.datetime(),
        ends_at: column.datetime({ nullable: true }),
        ...column.timestamps(),
      },
      indexes: [
        ['product_id', 'id'],
        ['starts_at', 'id'],
        ['ends_at', 'id'],
        ['created_at', 'id'],
        ['updated_at', 'id'],
      ],
    });
    await schema.createTable('portal_banner_translations', {
      columns: {
        banner_id: column.reference('portal_banners', { onDelete: 'cascade' }),
        locale: column.code(16),
        name: column.string(200, { nullable: true }),
        short_description: column.string(500, { nullable: true }),
      },
      primaryKey: ['banner_id', 'locale'],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_banner_translations');
    await schema.dropTable('portal_banners');
  },
});
