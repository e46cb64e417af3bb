import type { KeyObject } from 'node:crypto';
import type { PortalServices } from '../domain/services.js';
import type { LimitStore } from '../limits/index.js';
import type { PortalConfig } from '../config/index.js';
import type { Database, Lists, Transaction } from '../database/index.js';
import type { PasswordHasher } from '../domain/accounts/index.js';
import type { AccountPages } from '../domain/auth/index.js';
import type { MailQueue } from '../mail/index.js';
import type { OutboundFetcher } from '../outbound/index.js';
import type { Background, Clock, Encrypter, EventBus, Logger } from '../core/index.js';

/** What code of a host or a module works with; passed to `routes`, `pages`, `listen` and `register`. */
export interface PortalParts {
  readonly config: PortalConfig;
  /** The services behind the portal's own endpoints and pages. */
  readonly services: PortalServices;
  readonly events: EventBus<Transaction>;
  readonly database: Database;
  /** Runs lists of `defineList`. */
  readonly lists: Lists;
  /** Counters shared by all replicas. */
  readonly limits: LimitStore;
  /** Queues mails in the outbox. */
  readonly mail: MailQueue;
  readonly hasher: PasswordHasher;
  /** Requests to URLs from outside: from a user, or from a service's metadata. */
  readonly outbound: OutboundFetcher;
  /** Encryption at rest, with keys that can be rotated. */
  readonly encrypter: Encrypter;
  /** Work that a request does not wait for. */
  readonly background: Background;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Absolute URLs. */
  readonly address: {
    /** Of the portal, without a trailing slash. */
    base(): string;
    /** Of a page below the theme's prefix. */
    page(path: string): string;
    /** Of a page of the console; null where none is served. */
    consolePage(path: string): string | null;
  } & AccountPages;
  /** Keys for one purpose, derived from `app.key` and the previous ones; the first is the current one. */
  keys(purpose: string): readonly [KeyObject, ...KeyObject[]];
}
