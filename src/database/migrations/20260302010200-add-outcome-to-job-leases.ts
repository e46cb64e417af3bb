import { column, defineMigration } from '../migration.js';

/** When each job last began, and when and how it last failed. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_job_leases', 'started_at', column.datetime({ nullable: true }));
    await schema.addColumn('portal_job_leases', 'failed_at', column.datetime({ nullable: true }));
    await schema.addColumn('portal_job_leases', 'last_error', column.code(255, { nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_job_leases', 'last_error');
    await schema.dropColumn('portal_job_leases', 'failed_at');
    await schema.dropColumn('portal_job_leases', 'started_at');
  },
});
