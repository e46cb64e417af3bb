/** What differs between portal and gateway. */
export type DriftKind =
  | 'developer_status'
  | 'developer_email'
  | 'app_missing'
  | 'app_renamed'
  | 'app_status'
  | 'app_details'
  | 'app_unknown'
  | 'key_missing'
  | 'key_status'
  | 'key_expiry'
  | 'key_unknown'
  | 'product_missing'
  | 'product_status'
  | 'product_unknown';

/**
 * What is done about it. `gateway`: it gets what the portal says. `portal`: it follows the gateway, which is more closed.
 * `none`: nothing, unless `reopen` or `prune` asks for it.
 */
export type DriftFix = 'gateway' | 'portal' | 'none';

export interface Drift {
  readonly kind: DriftKind;
  readonly userId: number;
  readonly email: string;
  /** Name of the app; null: the developer as a whole. */
  readonly app: string | null;
  readonly credentialId: number | null;
  /** How the gateway calls the product. */
  readonly product: string | null;
  /** What each side says; null: it has nothing. */
  readonly portal: string | null;
  readonly gateway: string | null;
  readonly fix: DriftFix;
}

/** What may be done beyond making both sides equally closed. */
export interface SyncWishes {
  /** Open again at the gateway what was closed only there. Else the portal follows. */
  readonly reopen: boolean;
  /** Remove from the gateway what carries an id of ours that no record has. */
  readonly prune: boolean;
}
