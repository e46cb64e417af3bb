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
  | 'product_plan'
  | 'product_unknown';

/**
 * How it is repaired. `gateway`: the gateway follows the portal. `portal`: it follows the gateway, which is more
 * closed. `none`: not at all, unless `reopen` or `prune` is set.
 */
export type DriftFix = 'gateway' | 'portal' | 'none';

export interface Drift {
  readonly kind: DriftKind;
  readonly userId: number;
  readonly email: string;
  /** Name of the app; null for the developer as a whole. */
  readonly app: string | null;
  readonly credentialId: number | null;
  /** The product's name at the gateway. */
  readonly product: string | null;
  /** State on each side; null if it is missing there. */
  readonly portal: string | null;
  readonly gateway: string | null;
  readonly fix: DriftFix;
}

/** Repairs beyond making both sides equally closed. */
export interface FixOptions {
  /** Reopen at the gateway what was closed only there. Otherwise the portal follows. */
  readonly reopen: boolean;
  /** Remove records from the gateway that carry an id of ours but have no record here. */
  readonly prune: boolean;
}
