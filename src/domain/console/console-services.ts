import type { Clock, Encrypter, Logger } from '../../core/index.js';
import { addSeconds } from '../../core/index.js';
import { removeExpired, type Database } from '../../database/index.js';
import type { RbacService } from '../rbac/index.js';
import { DeveloperViews, type DeveloperViewParts } from './developer-views.js';
import { BulkJobs } from './bulk-jobs.js';
import { BulkKind } from './bulk-kind.js';
import { BulkStore } from './bulk-store.js';
import { BulkWorker } from './bulk-worker.js';
import { BulkImports } from './bulk-imports.js';
import { ImportKind } from './import-kind.js';
import { ManagedRecords } from './managed-records.js';
import { ConsoleOperations } from './operation-port.js';
import { SavedViewService } from './saved-view-service.js';

const KEEP_S = 30 * 86_400;
const KEEP_DRAFTS_S = 86_400;

export interface ConsoleServices {
  readonly views: SavedViewService;
  /** Views of the portal as a developer sees it. */
  readonly developerViews: DeveloperViews;
  readonly jobs: BulkJobs;
  readonly imports: BulkImports;
  /** Which records are described by files in a repository. */
  readonly managed: ManagedRecords;
  /** Works on bulk jobs; run by the job `bulk` of every replica. */
  readonly worker: BulkWorker;
  /** Where the operations come from: connected by the composition once the routes exist. */
  readonly operations: ConsoleOperations;
}

type ViewParts = Omit<DeveloperViewParts, 'isServed' | 'tellsDevelopers'>;

interface ConsoleParts extends ViewParts {
  readonly logger: Logger;
  readonly encrypter: Encrypter;
  readonly rbac: RbacService;
  readonly config: {
    readonly portalApi: { readonly rbac: { readonly permissions: { readonly manageRbac: string } } };
    readonly theme: { readonly enabled: boolean };
    readonly console: { readonly enabled: boolean; readonly managedRecords: 'warn' | 'forbid' };
    readonly notices: { readonly viewedAs: boolean };
  };
}

export function createConsoleServices({ config, ...parts }: ConsoleParts): ConsoleServices {
  const { database, clock, encrypter } = parts;
  const operations = new ConsoleOperations();
  const store = new BulkStore(database, clock);
  const jobs = new BulkJobs({ ...parts, operations });
  const isServed = config.theme.enabled && config.console.enabled;
  const developerViews = new DeveloperViews({ ...parts, isServed, tellsDevelopers: config.notices.viewedAs });
  developerViews.listen();
  const managed = new ManagedRecords({ ...parts, isForbidden: config.console.managedRecords === 'forbid' });
  managed.listen();
  const kinds = { bulk: new BulkKind(operations, store), import: new ImportKind(operations, encrypter) };
  return {
    views: new SavedViewService({ ...parts, manageRbac: config.portalApi.rbac.permissions.manageRbac }),
    ...{ developerViews, jobs, managed },
    imports: new BulkImports({ database, encrypter, operations, jobs }),
    worker: new BulkWorker({ ...parts, operations, store, kinds }),
    operations,
  };
}

/** Removes jobs that ended a month ago, with what became of each record, and files that nobody started within a day. */
export async function pruneBulkJobs({ database, clock }: { database: Database; clock: Clock }): Promise<void> {
  const now = clock.now();
  const old = "((state IN ('done', 'stopped', 'failed') AND updated_at <= ?) OR (state = 'draft' AND updated_at <= ?))";
  const values = [addSeconds(now, -KEEP_S), addSeconds(now, -KEEP_DRAFTS_S)];
  const condition = `job_id IN (SELECT id FROM portal_bulk_jobs WHERE ${old})`;
  // The rows first, a thousand at a time: by the foreign key all of them would go in one statement.
  await removeExpired(database, { table: 'portal_bulk_rows', key: 'id', condition, values });
  await removeExpired(database, { table: 'portal_bulk_jobs', key: 'id', condition: old, values });
}
