import { defineMigration, type NamedMigration } from '../../database/index.js';
import type { ChainEnds, ChainKeys } from './chain-hash.js';

const START = '0'.repeat(64);
const NOTHING: ChainEnds = { lastId: 0, lastHash: START, prunedId: 0, prunedHash: START };

/**
 * Seals the head of a log that has no entries yet. It is a migration, so that it runs once per database, before anybody
 * could have wiped anything: an empty log without a seal is one that was emptied. Every existing account has left an
 * activity, so with accounts an unsealed empty log stays unsealed.
 */
export function sealMigration(keys: ChainKeys): NamedMigration {
  const migration = defineMigration({
    async up(schema) {
      for (const table of ['portal_activities', 'portal_users', 'portal_admins']) {
        if ((await schema.select(`SELECT id FROM ${table} LIMIT 1`)).length > 0) return;
      }
      // Compared as a whole: rows that another replica wrote meanwhile have their own seal.
      await schema.execute(
        `UPDATE portal_activity_chain SET seal = ?
         WHERE id = 1 AND seal = '' AND last_id = 0 AND last_hash = ? AND pruned_id = 0 AND pruned_hash = ?`,
        [keys.seal(NOTHING), START, START],
      );
    },
    down: () => Promise.resolve(),
  });
  return { name: '20260201040300-seal-activity-chain', load: () => Promise.resolve(migration) };
}
