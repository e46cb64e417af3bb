import { column, defineMigration } from '../migration.js';

const ACTIVITIES = 'portal_activities';
const PEOPLE = 'portal_activity_people';
const CHAIN = 'portal_activity_chain';

/**
 * The hash chain of the activity log: its state, whose lock orders the rows, and seals over personal data, which can
 * then be erased but not changed. `prune_until` is 0 except while old rows are being removed.
 */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn(ACTIVITIES, 'owner_id', column.bigint({ nullable: true }));
    await schema.addColumn(ACTIVITIES, 'actor_seal', column.key(64, { nullable: true }));
    await schema.addColumn(ACTIVITIES, 'subject_seal', column.key(64, { nullable: true }));
    await schema.addIndex(ACTIVITIES, ['owner_id', 'created_at', 'id']);
    await schema.addColumn(PEOPLE, 'actor_salt', column.key(32, { nullable: true }));
    await schema.addColumn(PEOPLE, 'subject_label', column.string(255, { nullable: true }));
    await schema.addColumn(PEOPLE, 'subject_changes', column.json({ nullable: true }));
    await schema.addColumn(PEOPLE, 'subject_salt', column.key(32, { nullable: true }));
    await schema.createTable(CHAIN, {
      columns: {
        id: column.integer(),
        last_id: column.bigint(),
        last_hash: column.key(64),
        pruned_id: column.bigint(),
        pruned_hash: column.key(64),
        prune_until: column.bigint(),
        seal: column.key(64),
      },
      primaryKey: ['id'],
    });
    const start = '0'.repeat(64);
    await schema.execute(
      `INSERT INTO ${CHAIN} (id, last_id, last_hash, pruned_id, pruned_hash, prune_until, seal)
       SELECT 1, 0, '${start}', 0, '${start}', 0, '' WHERE NOT EXISTS (SELECT 1 FROM ${CHAIN})`,
    );
    await schema.appendOnly(ACTIVITIES, `(SELECT prune_until FROM ${CHAIN} WHERE id = 1)`);
  },
  async down(schema) {
    await schema.dropAppendOnly(ACTIVITIES);
    await schema.dropTable(CHAIN);
    for (const name of ['subject_salt', 'subject_changes', 'subject_label', 'actor_salt']) {
      await schema.dropColumn(PEOPLE, name);
    }
    await schema.dropIndex(ACTIVITIES, ['owner_id', 'created_at', 'id']);
    for (const name of ['subject_seal', 'actor_seal', 'owner_id']) await schema.dropColumn(ACTIVITIES, name);
  },
});
