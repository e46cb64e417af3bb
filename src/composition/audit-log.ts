import type { PortalServices } from '../api/index.js';
import { parseKey } from '../config/index.js';
import type { NamedMigration } from '../database/index.js';
import {
  ActivityChain,
  ActivityEraser,
  ActivityPruner,
  ActivityReader,
  ActivityRecorder,
  ChainGuard,
  ChainState,
  ChainKeys,
  ChainVerifier,
  PortalStatistics,
  RefusalBudget,
  sealMigration,
} from '../domain/audit-log/index.js';
import type { ConfiguredGateway } from '../gateway/index.js';
import type { DomainBase } from './base.js';

export function createActivities(base: DomainBase, gateway: ConfiguredGateway): PortalServices['activities'] {
  const { config, database, clock, logger, events } = base;
  const keys = chainKeys(base);
  const head = new ChainState(database, keys);
  const chain = new ActivityChain(database, head, keys);
  const verifier = new ChainVerifier(database, head, keys);
  new ActivityRecorder({ database, clock, chain, refusals: new RefusalBudget(clock, logger) }).listen(events);
  new ActivityEraser(database).listen(events);
  return {
    log: new ActivityReader(base),
    verifier,
    guard: new ChainGuard(database),
    pruner: new ActivityPruner({ database, clock, chain, head, verifier }),
    statistics: new PortalStatistics({ ...base, gateway: gateway.open, driver: config.gateway.driver }),
  };
}

/** Migrations of the package that need a key. */
export function keyedMigrations(base: Pick<DomainBase, 'config'>): readonly NamedMigration[] {
  return [sealMigration(chainKeys(base))];
}

function chainKeys({ config: { app } }: Pick<DomainBase, 'config'>): ChainKeys {
  return new ChainKeys([parseKey(app.key), ...app.previousKeys.map(parseKey)]);
}
