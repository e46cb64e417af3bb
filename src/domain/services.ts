import type { Clock } from '../core/index.js';
import type { AccountServices } from './accounts/index.js';
import type { AppServices } from './apps/index.js';
import type { ActivityServices } from './audit-log/index.js';
import type { AuthServices } from './auth/index.js';
import type { CatalogServices } from './catalog/index.js';
import type { ContentServices } from './content/index.js';
import type { ConsoleServices } from './console/index.js';
import type { ChangeMails, OutboxView, OwnNotices, ProductVisits } from './notifications/index.js';
import type { RbacServices } from './rbac/index.js';
import type { SearchServices } from './search/index.js';
import type { SiteServices } from './site/index.js';
import type { TeamServices } from './teams/index.js';
import type { UsageServices } from './usage/index.js';
import type { WebhookServices } from './webhooks/index.js';

/** The services that routes and pages may call, built once by `portal.ts`. */
export interface PortalServices extends RbacServices {
  readonly clock: Clock;
  readonly readiness: {
    /** Whether this replica should get traffic, and which checks fail. */
    read(): Promise<{ readonly ready: boolean; readonly failing: readonly string[] }>;
    /** Whether requests are admitted. */
    readonly isOpen: boolean;
  };
  readonly accounts: AccountServices;
  readonly auth: AuthServices;
  readonly catalog: CatalogServices;
  /** Guides and news. */
  readonly content: ContentServices;
  readonly apps: AppServices;
  readonly teams: TeamServices;
  readonly usage: UsageServices;
  readonly site: SiteServices;
  readonly activities: ActivityServices;
  /** Saved views, work on many records at once, imports. */
  readonly console: ConsoleServices;
  readonly mails: OutboxView;
  /** Notices of changes to developers, and which ones they want. */
  readonly notices: OwnNotices;
  /** How developers want to hear of changes by mail. */
  readonly changeMails: ChangeMails;
  /** Since when the changes of a product are new to whom. */
  readonly visits: ProductVisits;
  readonly webhooks: WebhookServices;
  /** One search over all that a reader may see. */
  readonly search: SearchServices;
  readonly jobs: {
    /** The background jobs; of one that is not exclusive, how it went in this process. */
    describe(): Promise<
      readonly {
        readonly name: string;
        /** Seconds. */
        readonly every: number;
        readonly exclusive: boolean;
        readonly isRunning: boolean;
        readonly startedAt: Date | null;
        readonly endedAt: Date | null;
        readonly outcome: 'succeeded' | 'failed' | null;
        readonly error: string | null;
      }[]
    >;
  };
  /** Where surfaces live, as paths that begin with a slash. */
  readonly paths: { readonly api: string; readonly admin: string };
}
