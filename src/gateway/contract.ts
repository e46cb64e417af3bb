import type { KeyVerifier } from './verification.js';

/** State of an app, a key or a product on a key. */
export type GatewayStatus = 'pending' | 'approved' | 'revoked';

export type GatewayDeveloperStatus = 'active' | 'inactive';

/**
 * What a backend can do. The portal asks these flags and never which driver it has; what a backend lacks, the portal
 * either does another way or refuses with a sentence.
 */
export interface GatewayCapabilities {
  /** Developers have a status of their own that closes all their keys at once. Without it every app is closed instead. */
  readonly developers: boolean;
  /** Knows `pending`. Without it the portal sends `revoked` for what waits. */
  readonly pending: boolean;
  /** A key can be closed and opened again. Without it revoking removes the key for good. */
  readonly keyStatus: boolean;
  /** Products are granted to a key. Without it they are the app's, so the portal gives it one key and leaves its products. */
  readonly productsPerKey: boolean;
  /** A product on a key has a status. Without it only approved products are put on the key. */
  readonly productStatusPerKey: boolean;
  /** Key and secret can be read back. */
  readonly readSecret: boolean;
  /** Takes keys made elsewhere. */
  readonly importKey: boolean;
  /** Whether keys end by themselves, and whether their end can be moved after they were issued. */
  readonly expiry: 'none' | 'fixed' | 'changeable';
  /** Tells when a key was last used. */
  readonly usage: boolean;
}

/** Names a developer for every backend: some know them by our id, some by e-mail. */
export interface DeveloperAddress {
  /** The portal's id, stable for ever. At most 64 characters. */
  readonly id: string;
  readonly email: string;
  /**
   * What `ensure` returned for this developer, once the portal has kept it: finds them whatever became of their e-mail.
   * Without it a backend that knows people by e-mail looks there, and takes only whom this portal made (S70).
   */
  readonly gatewayId?: string | null;
}

export interface AppAddress {
  readonly developer: DeveloperAddress;
  /** The portal's id of the app, kept by the backend as an attribute: what carries another id is not ours (R15). */
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
  /** The first key, when one was asked for. */
  readonly key: IssuedKey | null;
}

export interface GatewayDevelopers {
  /**
   * Creates the developer, or brings the names of a known one up to date. The status of a known one stays: a request that
   * began before they were disabled must not open their keys again. A developer of that e-mail whom this portal did not
   * make is never taken over (S70).
   * @returns the backend's own id of the developer, to be kept and given as `gatewayId` from then on
   * @throws GatewayConflictError when the e-mail belongs to somebody else there
   */
  ensure(developer: GatewayDeveloper): Promise<string>;
  /** @throws GatewayNotFoundError */
  setStatus(developer: DeveloperAddress, status: GatewayDeveloperStatus): Promise<void>;
  /** With all apps and keys. Nothing happens when there is no such developer. */
  remove(developer: DeveloperAddress): Promise<void>;
}

export interface GatewayApps {
  /**
   * Creates an app, with its first key when `key` is given, or nothing at all.
   * @throws GatewayNotFoundError without the developer, GatewayConflictError when the developer has an app of that name
   */
  create(app: GatewayApp, key: NewKey | null): Promise<CreatedApp>;
  /** Replaces name, description and callback; keys and status stay. @throws GatewayNotFoundError */
  update(app: GatewayApp): Promise<void>;
  /** @throws GatewayNotFoundError */
  setStatus(app: AppAddress, status: GatewayStatus): Promise<void>;
  /** With all keys. Nothing happens when there is no such app, or one of that name with another portal id. */
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
  /** Nothing happens when there is no such key. */
  remove(key: KeyAddress): Promise<void>;
}

export interface GatewayKeyProducts {
  /** Puts a product on a key; one that is there already gets the given status. @throws GatewayNotFoundError without the key */
  add(key: KeyAddress, product: KeyProduct): Promise<void>;
  /** Needs `productStatusPerKey`. @throws GatewayNotFoundError */
  setStatus(key: KeyAddress, product: KeyProduct): Promise<void>;
  /** Nothing happens when the product is not on the key, or the key is gone. */
  remove(key: KeyAddress, product: string): Promise<void>;
}

/** A product as the gateway knows it. */
export interface GatewayProduct {
  /** What keys and `gateway_product_id` call it. */
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
}

export interface GatewayProducts {
  /** All of them; there are thousands at most. A driver whose backend gives pages asks for one after another. */
  list(): Promise<readonly GatewayProduct[]>;
}

/** A part of a long list. */
export interface InventoryPage<T> {
  readonly items: readonly T[];
  /** Where the next page begins; null: this was the last one. Stays good for a resumed run. */
  readonly next: string | null;
}

/** A developer as the backend has them. */
export interface FoundDeveloper {
  readonly gatewayId: string;
  /** The portal's id that they carry; null: this portal did not make them. */
  readonly portalId: string | null;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly status: GatewayDeveloperStatus;
}

/** A key as the backend has it. */
export interface FoundKey {
  readonly keyRef: string;
  readonly portalId: string | null;
  /** null where the backend cannot show it (`readSecret`). */
  readonly consumerKey: string | null;
  readonly status: GatewayStatus;
  readonly products: readonly KeyProduct[];
  /** null where the backend does not tell. */
  readonly issuedAt: Date | null;
  readonly expiresAt: Date | null;
}

/** An app as the backend has it, with all its keys. */
export interface FoundApp {
  /** The backend's own id. */
  readonly appId: string;
  readonly portalId: string | null;
  readonly name: string;
  /** null where the backend keeps none. */
  readonly displayName: string | null;
  readonly description: string | null;
  readonly callbackUrl: string | null;
  readonly status: GatewayStatus;
  readonly createdAt: Date | null;
  readonly keys: readonly FoundKey[];
}

/** Reads what is there, whoever made it, for reconciliation (R18) and import; and marks what the portal takes over. */
export interface GatewayInventory {
  /** @param after `next` of an earlier page. @throws GatewayNotFoundError when that place is gone: begin again */
  developers(after: string | null): Promise<InventoryPage<FoundDeveloper>>;
  /** The developer with that e-mail, whoever made them; null: nobody. */
  developerByEmail(email: string): Promise<FoundDeveloper | null>;
  /** All apps of a developer; none when there is no such developer. */
  apps(gatewayId: string): Promise<readonly FoundApp[]>;
  /** From now on the developer is this portal's, under that id. @throws GatewayNotFoundError */
  claimDeveloper(gatewayId: string, portalId: string): Promise<void>;
  /** @throws GatewayNotFoundError */
  claimApp(gatewayId: string, name: string, portalId: string): Promise<void>;
  /** @throws GatewayNotFoundError */
  claimKey(gatewayId: string, appName: string, keyRef: string, portalId: string): Promise<void>;
}

/**
 * The API gateway behind the portal. Every call ends in time, whatever the backend does; a call that is repeated after a
 * lost answer is repeated by the driver, which finds its own work by the portal ids (R13, R15). Drivers throw the errors
 * of `errors.ts` and hold no state that another replica would miss. `gatewayContract` of
 * `portalkit/testing` is the suite that each of them passes.
 */
export interface GatewayDriver {
  readonly name: string;
  readonly capabilities: GatewayCapabilities;
  readonly developers: GatewayDevelopers;
  readonly apps: GatewayApps;
  readonly keys: GatewayKeys;
  readonly keyProducts: GatewayKeyProducts;
  readonly products: GatewayProducts;
  /** Only where the backend can be read as a whole. */
  readonly inventory?: GatewayInventory;
  /** Only where the portal itself answers proxies that ask whether a key is good. */
  readonly verifier?: KeyVerifier;
  /** For readiness and `portal doctor`. Changes nothing. @throws GatewayUnavailableError, GatewayRefusedError */
  check(): Promise<void>;
  /** Waits for what is still on its way. */
  close(): Promise<void>;
}
