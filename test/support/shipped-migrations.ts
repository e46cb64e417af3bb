import { randomBytes } from 'node:crypto';
import { packageMigrations, type NamedMigration } from '../../src/database/index.js';
import { ChainKeys } from '../../src/domain/audit-log/chain-hash.js';
import { sealMigration } from '../../src/domain/audit-log/seal-migration.js';

/** One that needs the key of the portal; with this key it must not run. */
export const keyedMigrations: readonly NamedMigration[] = [sealMigration(new ChainKeys([randomBytes(32)]))];

/** The names of all that a portal runs, in their order. */
export const shippedMigrations: readonly string[] = [...packageMigrations(), ...keyedMigrations]
  .map(({ name }) => name)
  .sort();
