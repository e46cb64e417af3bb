import type { KeyObject } from 'node:crypto';
import type { PortalServices } from '../api/index.js';
import type { LimitStore } from '../limits/index.js';
import type { PortalConfig } from '../config/index.js';
import type { Database, Lists, Transaction } from '../database/index.js';
import type { PasswordHasher } from '../domain/accounts/index.js';
import type { AccountPages } from '../domain/auth/index.js';
import type { MailQueue } from '../mail/index.js';
import type { OutboundFetcher } from '../outbound/index.js';
import type { Background, Clock, Encrypter, EventBus, Logger } from '../core/index.js';

/** What code of a host or a module works with: `routes`, `pages`, `listen` and `register` are given it. */
export interface PortalParts {
  readonly config: PortalConfig;
  /** Everything that the portal's own endpoints and pages are made of. */
  readonly services: PortalServices;
  readonly events: EventBus<Transaction>;
  readonly database: Database;
  /** The engine behind lists of `defineList`. */
  readonly lists: Lists;
  /** Counters that all replicas share. */
  readonly limits: LimitStore;
  /** Takes mails into the outbox. */
  readonly mail: MailQueue;
  readonly hasher: PasswordHasher;
  /** Requests to addresses that somebody else named: a person, or a service in its metadata. */
  readonly outbound: OutboundFetcher;
  /** Encryption at rest, with keys that can be rotated. */
  readonly encrypter: Encrypter;
  /** Work that a request does not wait for. */
  readonly background: Background;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Absolute addresses. */
  readonly address: {
    /** Of the portal, without a slash at the end. */
    base(): string;
    /** Of a page below the theme's prefix. */
    page(path: string): string;
  } & AccountPages;
  /** Keys for one purpose, derived from `app.key` and the previous ones; the first is the one to use. */
  keys(purpose: string): readonly [KeyObject, ...KeyObject[]];
}
