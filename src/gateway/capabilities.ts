/**
 * What a backend can do. The portal checks these flags, never the driver's identity; for a missing capability it uses
 * another way or refuses with an explanation.
 */
export interface GatewayCapabilities {
  /** Developers have their own status that closes all their keys at once. Otherwise every app is closed. */
  readonly developers: boolean;
  /** Supports `pending`. Otherwise the portal sends `revoked` for it. */
  readonly pending: boolean;
  /** A key can be closed and reopened. Otherwise revoking removes the key permanently. */
  readonly keyStatus: boolean;
  /**
   * Products are granted per key. Otherwise they belong to the app, so the portal gives it one key and leaves its
   * products.
   */
  readonly productsPerKey: boolean;
  /** A product on a key has a status. Otherwise only approved products are put on the key. */
  readonly productStatusPerKey: boolean;
  /** Key and secret can be read back. */
  readonly readSecret: boolean;
  /** Takes keys made elsewhere. */
  readonly importKey: boolean;
  /** Whether keys expire by themselves, and whether their expiry can be changed after they were issued. */
  readonly expiry: 'none' | 'fixed' | 'changeable';
  /** Reports when a key was last used. */
  readonly usage: boolean;
  /** Keeps the plan of a product on a key. Otherwise plans are not sent, and only shown to people. */
  readonly plans: boolean;
  /**
   * Receives the limits of plans and enforces them with policies of its own; the portal is not asked about calls. Needs
   * `plans`. Without it the gateway asks the portal, or nothing is enforced. Default false.
   */
  readonly limits?: boolean;
  /**
   * Teams have records of their own, which own apps as developers do. Otherwise a team is a developer whose e-mail address is at
   * the portal's own host. Default false.
   */
  readonly teams?: boolean;
  /** An app can get another owner with its keys unchanged (`apps.move`). Otherwise no app is handed over. Default false. */
  readonly moveApps?: boolean;
  /**
   * A move takes the keys one after another, and each of them fails for a moment. Otherwise they work all the time. Needs
   * `moveApps`; people are warned before. Default false.
   */
  readonly movesPauseKeys?: boolean;
}
