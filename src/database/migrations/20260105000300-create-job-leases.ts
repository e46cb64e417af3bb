import { column, defineMigration } from '../migration.js';

/** The current holder of each job, and when it last ran. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_job_leases', {
      columns: {
        name: column.code(100),
        token: column.key(36, { nullable: true }),
        held_until: column.datetime({ nullable: true }),
        done_at: column.datetime({ nullable: true }),
      },
      primaryKey: ['name'],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_job_leases');
  },
});
