import type { GatewayCapabilities } from './capabilities.js';
import type { KeyVerifier } from './verification.js';

/** State of an app, a key or a product on a key. */
export type GatewayStatus = 'pending' | 'approved' | 'revoked';

export type GatewayDeveloperStatus = 'active' | 'inactive';

/** Calls in any second, minute or hour, or in a day or month of UTC. */
export interface CallLimit {
  readonly calls: number;
  readonly per: 'second' | 'minute' | 'hour' | 'day' | 'month';
}

/** What a plan allows an app to call of a product, on all of its keys together. */
export interface CallLimits {
  /** None: everything. */
  readonly calls: readonly CallLimit[];
  /** From then on `afterwards` holds: what an admin raised for a while. null: never. */
  readonly until: Date | null;
  readonly afterwards: readonly CallLimit[];
}

/**
 * Where a driver whose move takes several calls keeps what it needs to go on after the process died: encrypted, in the portal's
 * database, until the move is over.
 */
export interface MoveJournal {
  /** What was kept last, also by a process that died; null when there is nothing. */
  read(): Promise<string | null>;
  /**
   * Kept when it resolves. From the first time on the portal counts the move as begun: whatever fails then, it is called again
   * until it is through.
   * @param text may hold secrets; null forgets them
   * @throws PortalError when another process has taken the move over: stop then
   */
  keep(text: string | null): Promise<void>;
}

export interface MovedApp {
  /** The backend's own id of the app, which may be another one. */
  readonly appId: string;
  /** Whether keys end when they did before. Otherwise the portal closes them in time. */
  readonly keepsEnds: boolean;
}

/** Identifies a developer for every backend: some use our id, some the e-mail. */
export interface DeveloperAddress {
  /** The portal's id, which never changes. At most 64 characters. */
  readonly id: string;
  readonly email: string;
  /**
   * What `ensure` returned for this developer, once stored: finds them even if their e-mail has changed. Without it, a
   * backend that identifies people by e-mail looks them up by e-mail, and only accepts those that this portal created
   * (S70).
   */
  readonly gatewayId?: string | null;
}

export interface AppAddress {
  readonly developer: DeveloperAddress;
  /** The portal's id of the app, stored by the backend as an attribute: an app with another id is not ours (R15). */
  readonly portalId: string;
  /** `^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`; drivers encode it once when it enters a URL (S56). */
  readonly name: string;
}

export interface KeyAddress {
  readonly app: AppAddress;
  /** What the driver returned as `keyRef`. Some backends address a key by its value: handle it as a secret. */
  readonly keyRef: string;
}

export interface GatewayDeveloper extends DeveloperAddress {
  readonly firstName: string;
  readonly lastName: string;
  readonly status: GatewayDeveloperStatus;
  /**
   * A team of people rather than one. Needs `teams`; once it is there, its `gatewayId` tells. `firstName` is its name. Default
   * false.
   */
  readonly isTeam?: boolean;
  /** Of a team: its people, owners first, for drivers whose backend shows them. Those that it has are replaced. */
  readonly members?: FoundTeam['members'];
}

export interface GatewayApp extends AppAddress {
  readonly displayName: string;
  readonly description: string;
  readonly callbackUrl: string | null;
  readonly status: GatewayStatus;
}

export interface KeyProduct {
  /** Name of the product at the gateway. */
  readonly product: string;
  readonly status: GatewayStatus;
  /** What the portal calls its plan, at most 64 characters; without one there are no limits. Needs `plans`. */
  readonly plan?: string | null;
  /** What that plan allows. A plan of the same name has the same limits. Needs `limits`. */
  readonly limits?: CallLimits | null;
}

export interface NewKey {
  /** The portal's id of the credential. */
  readonly portalId: string;
  readonly products: readonly KeyProduct[];
  /** null: never ends. */
  readonly expiresAt: Date | null;
}

export interface KeyPair {
  /** `[A-Za-z0-9_-]`, at least 160 random bits. */
  readonly consumerKey: string;
  readonly consumerSecret: string;
}

export interface IssuedKey extends KeyPair {
  readonly keyRef: string;
}

export interface CreatedApp {
  /** The backend's own id of the app. */
  readonly appId: string;
  /** The first key, if one was requested. */
  readonly key: IssuedKey | null;
}

export interface GatewayDevelopers {
  /**
   * Creates the developer, or updates the names of an existing one. An existing status is kept: a request that started
   * before they were disabled must not reopen their keys. A developer with that e-mail whom this portal did not create
   * is never taken over (S70).
   * @returns the backend's own id of the developer, to be stored and passed as `gatewayId` from then on
   * @throws GatewayConflictError when the e-mail belongs to somebody else there
   */
  ensure(developer: GatewayDeveloper): Promise<string>;
  /** @throws GatewayNotFoundError */
  setStatus(developer: DeveloperAddress, status: GatewayDeveloperStatus): Promise<void>;
  /** Removes them with all apps and keys. Does nothing if there is no such developer. */
  remove(developer: DeveloperAddress): Promise<void>;
}

export interface GatewayApps {
  /**
   * Creates an app, with its first key if `key` is given; atomic.
   * @throws GatewayNotFoundError without the developer, GatewayConflictError when the developer has an app of that name
   */
  create(app: GatewayApp, key: NewKey | null): Promise<CreatedApp>;
  /** Replaces name, description and callback; keys and status stay. @throws GatewayNotFoundError */
  update(app: GatewayApp): Promise<void>;
  /** @throws GatewayNotFoundError */
  setStatus(app: AppAddress, status: GatewayStatus): Promise<void>;
  /**
   * Gives the app another owner, with keys, status and products as they are. Atomic, or such that a call that broke off anywhere
   * can be repeated, in either direction, with the same journal. Nothing changes if that one has it. Needs `moveApps`.
   * @returns undefined where everything is as it was
   * @throws GatewayNotFoundError without the app or the new owner, GatewayConflictError when they have an app of that name: only
   * as long as nothing was kept
   */
  move?(app: AppAddress, to: DeveloperAddress, journal: MoveJournal): Promise<MovedApp | undefined>;
  /** Removes it with all keys. Does nothing if there is no such app, or it has another portal id. */
  remove(app: AppAddress): Promise<void>;
}

export interface GatewayKeys {
  /** @throws GatewayNotFoundError without the app */
  issue(app: AppAddress, key: NewKey): Promise<IssuedKey>;
  /** Needs `readSecret`. @throws GatewayNotFoundError */
  reveal(key: KeyAddress): Promise<KeyPair>;
  /** Needs `keyStatus`. @throws GatewayNotFoundError */
  setStatus(key: KeyAddress, status: GatewayStatus): Promise<void>;
  /** Needs `expiry: 'changeable'`. @throws GatewayNotFoundError */
  setExpiry(key: KeyAddress, expiresAt: Date | null): Promise<void>;
  /** Needs `usage`. One entry for each key that was ever used. */
  lastUse(keyRefs: readonly string[]): Promise<ReadonlyMap<string, Date>>;
  /** Does nothing if there is no such key. */
  remove(key: KeyAddress): Promise<void>;
}

export interface GatewayKeyProducts {
  /** Puts a product on a key; an existing one gets the given status and plan. @throws GatewayNotFoundError without the key */
  add(key: KeyAddress, product: KeyProduct): Promise<void>;
  /** Leaves the plan. Needs `productStatusPerKey`. @throws GatewayNotFoundError */
  setStatus(key: KeyAddress, product: KeyProduct): Promise<void>;
  /** Does nothing if the product is not on the key, or the key is gone. */
  remove(key: KeyAddress, product: string): Promise<void>;
}

/** A product as the gateway knows it. */
export interface GatewayProduct {
  /** The name that keys and `gateway_product_id` use. */
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
}

export interface GatewayProducts {
  /** All products; a few thousand at most. A driver with a paged backend reads every page. */
  list(): Promise<readonly GatewayProduct[]>;
}

/** A page of a long list. */
export interface InventoryPage<T> {
  readonly items: readonly T[];
  /** Cursor of the next page; null on the last one. Stays valid for a resumed run. */
  readonly next: string | null;
}

/** A developer as the backend has them. */
export interface FoundDeveloper {
  readonly gatewayId: string;
  /** The portal id they carry; null if this portal did not create them. */
  readonly portalId: string | null;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly status: GatewayDeveloperStatus;
}

/** A team as the backend has it. */
export interface FoundTeam extends Pick<FoundDeveloper, 'gatewayId' | 'portalId' | 'status'> {
  readonly name: string;
  /** Its people, as far as the backend knows them. */
  readonly members: readonly { readonly email: string; readonly isAdmin: boolean }[];
}

/** A key as the backend has it. */
export interface FoundKey {
  readonly keyRef: string;
  readonly portalId: string | null;
  /** null where the backend cannot show it (`readSecret`). */
  readonly consumerKey: string | null;
  readonly status: GatewayStatus;
  readonly products: readonly KeyProduct[];
  /** null if the backend does not report it. */
  readonly issuedAt: Date | null;
  readonly expiresAt: Date | null;
}

/** An app as the backend has it, with all its keys. */
export interface FoundApp {
  /** The backend's own id. */
  readonly appId: string;
  readonly portalId: string | null;
  readonly name: string;
  /** null if the backend stores none. */
  readonly displayName: string | null;
  readonly description: string | null;
  readonly callbackUrl: string | null;
  readonly status: GatewayStatus;
  readonly createdAt: Date | null;
  readonly keys: readonly FoundKey[];
}

/** Reads everything, whoever created it, for reconciliation (R18) and import; and marks what the portal takes over. */
export interface GatewayInventory {
  /** @param after `next` of an earlier page. @throws GatewayNotFoundError when that cursor is gone: start again */
  developers(after: string | null): Promise<InventoryPage<FoundDeveloper>>;
  /** The developer with that e-mail, whoever created them; null if there is none. */
  developerByEmail(email: string): Promise<FoundDeveloper | null>;
  /** The teams. Only with `teams`. @throws GatewayNotFoundError when the cursor is gone: start again */
  teams?(after: string | null): Promise<InventoryPage<FoundTeam>>;
  /** All apps of a developer or a team; none when there is no such owner. */
  apps(gatewayId: string): Promise<readonly FoundApp[]>;
  /** Marks the developer, or the team, as this portal's, with that id. @throws GatewayNotFoundError */
  claimDeveloper(gatewayId: string, portalId: string): Promise<void>;
  /** @throws GatewayNotFoundError */
  claimApp(gatewayId: string, name: string, portalId: string): Promise<void>;
  /** @throws GatewayNotFoundError */
  claimKey(gatewayId: string, appName: string, keyRef: string, portalId: string): Promise<void>;
}

/** Calls of one app that got the same status, in one hour. */
export interface CountedTraffic {
  /** What `ensure` returned for the developer. */
  readonly developerId: string;
  /** Name of the app at the gateway. */
  readonly app: string;
  /** Name of the product at the gateway; null if it is not known. */
  readonly product: string | null;
  /** Of HTTP; 0 if it is not known. */
  readonly status: number;
  readonly calls: number;
}

/** What a gateway that checks keys itself has counted. */
export interface GatewayStatistics {
  /** Seconds after which a call shows. */
  readonly delay: number;
  /**
   * Calls with a good key in one hour, those that show by now.
   * @param hour its begin, in UTC
   * @param after `next` of the page before
   */
  read(hour: Date, after: string | null): Promise<InventoryPage<CountedTraffic>>;
}

/**
 * The API gateway behind the portal. Every call ends in time, whatever the backend does; the driver itself retries
 * calls whose response was lost, and finds its own work by the portal ids (R13, R15). Drivers throw the errors of
 * `errors.ts` and hold no state that other replicas would need. `gatewayContract` of `portalkit/testing` is the test
 * suite for drivers.
 */
export interface GatewayDriver {
  readonly name: string;
  readonly capabilities: GatewayCapabilities;
  readonly developers: GatewayDevelopers;
  readonly apps: GatewayApps;
  readonly keys: GatewayKeys;
  readonly keyProducts: GatewayKeyProducts;
  readonly products: GatewayProducts;
  /** Only if the backend's records can be listed. */
  readonly inventory?: GatewayInventory;
  /** Only if the backend counts calls, and the portal does not. The portal shows them as usage. */
  readonly statistics?: GatewayStatistics;
  /** Only if the portal itself verifies keys for proxies. */
  readonly verifier?: KeyVerifier;
  /** For readiness and `portal doctor`. Read-only. @throws GatewayUnavailableError, GatewayRefusedError */
  check(): Promise<void>;
  /** Waits for pending work. */
  close(): Promise<void>;
}
