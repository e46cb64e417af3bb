import type { Database } from '../../database/index.js';
import type { Clock } from '../../core/index.js';
import type { KeysConfig } from '../config.js';
import type { GatewayDeveloperStatus, GatewayStatus } from '../contract.js';
import type { DenialReason, KeyAdmission, KeyDecision, KeyVerifier } from '../verification.js';
import { createKeyCheck, keyHash } from './key-material.js';
import type { LastUseRecorder } from './last-use.js';

/** A key with one of its products; a key without products yields one row of nulls. */
interface Row {
  readonly id: number;
  readonly keyId: string;
  readonly keyStatus: GatewayStatus;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly appId: string;
  readonly app: string;
  readonly appStatus: GatewayStatus;
  readonly developer: string;
  readonly developerStatus: GatewayDeveloperStatus;
  /** null also for a draft or deleted product, which grants nothing. */
  readonly product: string | null;
  readonly productId: number | null;
  readonly grantStatus: GatewayStatus | null;
  readonly plan: string | null;
}

/** One statement on the unique hash index: proxies ask before every call (gateways.md, E7). */
const FIND_KEY = `
  SELECT k.id AS id, k.portal_id AS keyId, k.status AS keyStatus, k.expires_at AS expiresAt,
    k.last_used_at AS lastUsedAt, a.portal_id AS appId, a.name AS app, a.status AS appStatus,
    d.id AS developer, d.status AS developerStatus, p.slug AS product, p.id AS productId, g.status AS grantStatus,
    g.plan AS plan
  FROM portal_gateway_keys k
  JOIN portal_gateway_apps a ON a.id = k.app_id
  JOIN portal_gateway_developers d ON d.id = a.developer_id
  LEFT JOIN portal_gateway_key_products g ON g.key_id = k.id
  LEFT JOIN portal_products p ON p.gateway_product_id = g.product AND p.visibility <> 'draft'
  WHERE k.key_hash = ?`;

const DATES = { decode: { expiresAt: 'date', lastUsedAt: 'date' } } as const;

/** Decides from the tables on every call: a revocation applies to the next request. */
export class LocalVerifier implements KeyVerifier {
  private readonly canExist: (key: string) => boolean;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly lastUse: LastUseRecorder,
    keys: KeysConfig,
  ) {
    this.canExist = createKeyCheck(keys);
  }

  async verify(key: string | null, product: string | null): Promise<KeyDecision> {
    if (key === null || key === '') return deny('missing_key');
    if (!this.canExist(key)) return deny('malformed_key');
    const rows = await this.database.select<Row>(FIND_KEY, [keyHash(key)], DATES);
    const [first] = rows;
    if (!first) return deny('unknown_key');
    const fault = keyFault(first, this.clock.now()) ?? productFault(rows, product);
    if (fault) return { ...deny(fault), keyId: first.keyId, appId: first.appId };
    this.lastUse.record(first.id, first.lastUsedAt);
    const products = rows.flatMap((row) => (row.product !== null && row.grantStatus === 'approved' ? row.product : []));
    const { developer, app, keyId, appId } = first;
    const called = product ?? (products.length === 1 ? products[0] : undefined);
    const grant = called === undefined ? undefined : rows.find((row) => row.product === called);
    return { allowed: true, developer, app, keyId, appId, products: products.sort(), ...(grant && planOf(grant)) };
  }
}

function planOf({ plan, productId }: Row): Pick<KeyAdmission, 'plan' | 'productId'> {
  return plan === null || productId === null ? {} : { plan, productId: String(productId) };
}

function keyFault({ keyStatus, expiresAt, appStatus, developerStatus }: Row, now: Date): DenialReason | undefined {
  if (keyStatus !== 'approved') return keyStatus === 'pending' ? 'pending_key' : 'revoked_key';
  if (expiresAt && expiresAt <= now) return 'expired_key';
  if (appStatus !== 'approved') return appStatus === 'pending' ? 'pending_app' : 'revoked_app';
  return developerStatus === 'active' ? undefined : 'inactive_developer';
}

function productFault(rows: readonly Row[], product: string | null): DenialReason | undefined {
  if (product === null) {
    return rows.some((row) => row.product !== null && row.grantStatus === 'approved') ? undefined : 'no_product';
  }
  switch (rows.find((row) => row.product === product)?.grantStatus) {
    case 'approved':
      return undefined;
    case 'pending':
      return 'product_pending';
    case 'revoked':
      return 'product_revoked';
    default:
      return 'product_not_granted';
  }
}

function deny(reason: DenialReason): KeyDecision {
  return { allowed: false, reason };
}
