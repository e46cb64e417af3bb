import { column, defineMigration } from '../migration.js';

/** Personal data, kept outside the hash chain so that it can be erased without breaking it. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_activity_people', {
      columns: {
        activity_id: column.reference('portal_activities', { onDelete: 'cascade' }),
        actor_name: column.string(200, { nullable: true }),
        actor_email: column.code(254, { nullable: true }),
        ip: column.code(45, { nullable: true }),
        user_agent: column.string(255, { nullable: true }),
      },
      primaryKey: ['activity_id'],
      indexes: [['actor_email']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_activity_people');
  },
});
