import type { FoundKey } from '../../../gateway/index.js';
import { isFoundKeyOpen, isKeyOpen, type AppPair, type ComparisonTerms, type KnownKey } from './app-state.js';
import { planOfGrant, type GrantRecord } from '../credential/grant.js';
import type { Drift, DriftFix, DriftKind, FixOptions } from './drift.js';

/** Tolerance in milliseconds: gateways round to seconds. */
const SAME_MS = 1_000;

type Difference = Omit<Drift, 'userId' | 'email' | 'app'>;

/**
 * Differences of an app. The more closed side wins: a comparison never reopens what was closed on either side. Pending
 * and revoked are both closed and therefore equal.
 */
export function compareApp(pair: AppPair, terms: ComparisonTerms, options: FixOptions): Drift[] {
  const { owner, app } = pair.owned;
  const differences = pair.found
    ? [...appDifferences(pair, options), ...keyDifferences(pair, terms, options)]
    : reportMissing(pair);
  return differences.map((difference) => ({ ...difference, userId: owner.id, email: owner.email, app: app.name }));
}

function reportMissing({ owned, keys }: AppPair): Difference[] {
  const gone = keys.filter(({ owned: { credential } }) => credential.status !== 'revoked');
  return [
    difference('app_missing', { portal: owned.app.status, gateway: null, fix: 'gateway' }),
    ...gone.map((key) =>
      keyDifference(key, 'key_missing', { portal: key.owned.credential.status, gateway: null, fix: 'portal' }),
    ),
  ];
}

function appDifferences({ owned: { app }, found }: AppPair, { reopen }: FixOptions): Difference[] {
  if (!found) return [];
  const list: Difference[] = [];
  const name = app.gatewayName ?? app.name;
  if (found.name !== name) list.push(difference('app_renamed', { portal: name, gateway: found.name, fix: 'portal' }));
  if ((app.status === 'approved') !== (found.status === 'approved')) {
    const fix = pickFix(app.status === 'approved', reopen);
    list.push(difference('app_status', { portal: app.status, gateway: found.status, fix }));
  }
  // A gateway that stores no names cannot differ.
  if (found.displayName === null) return list;
  const [ours, theirs] = [
    [app.displayName, app.description, app.callbackUrl ?? ''],
    [found.displayName, found.description ?? '', found.callbackUrl ?? ''],
  ].map((texts) => texts.join(' · '));
  if (ours !== theirs) {
    list.push(difference('app_details', { portal: ours ?? '', gateway: theirs ?? '', fix: 'gateway' }));
  }
  return list;
}

function keyDifferences(
  { keys, found, unfinished }: AppPair,
  terms: ComparisonTerms,
  options: FixOptions,
): Difference[] {
  const there = new Map((found?.keys ?? []).map((key) => [key.keyRef, key]));
  const list: Difference[] = [];
  for (const key of keys) {
    const match = key.keyRef === null ? undefined : there.get(key.keyRef);
    if (match) list.push(...compareMatch(key, match, terms, options));
    else if (key.owned.credential.status !== 'revoked') {
      list.push(
        keyDifference(key, 'key_missing', { portal: key.owned.credential.status, gateway: null, fix: 'portal' }),
      );
    }
    if (match) there.delete(match.keyRef);
  }
  for (const { portalId, status } of there.values()) {
    if (portalId !== null && unfinished.has(portalId)) continue;
    const fix = portalId !== null && options.prune ? 'gateway' : 'none';
    const owner = portalId === null ? 'not the portal’s' : `of credential ${portalId}`;
    list.push(difference('key_unknown', { portal: null, gateway: `${status}, ${owner}`, fix }));
  }
  return list;
}

function compareMatch(key: KnownKey, found: FoundKey, terms: ComparisonTerms, options: FixOptions): Difference[] {
  const { capabilities, now } = terms;
  const { credential } = key.owned;
  const list: Difference[] = [];
  const [here, there] = [isKeyOpen(key.owned, now), isFoundKeyOpen(found, now)];
  if (here !== there) {
    const portal = here || credential.status !== 'approved' ? credential.status : 'expired';
    list.push(keyDifference(key, 'key_status', { portal, gateway: found.status, fix: pickFix(here, options.reopen) }));
  } else if (here && capabilities.expiry === 'changeable' && differs(credential.expiresAt, found.expiresAt)) {
    const isLaterHere = (credential.expiresAt?.getTime() ?? Infinity) > (found.expiresAt?.getTime() ?? Infinity);
    const [portal, gateway] = [text(credential.expiresAt), text(found.expiresAt)];
    list.push(keyDifference(key, 'key_expiry', { portal, gateway, fix: pickFix(isLaterHere, options.reopen) }));
  }
  return capabilities.productsPerKey ? [...list, ...productDifferences(key, found, terms, options)] : list;
}

function productDifferences(
  key: KnownKey,
  found: FoundKey,
  terms: ComparisonTerms,
  { reopen }: FixOptions,
): Difference[] {
  const there = new Map(found.products.map(({ product, status }) => [product, status]));
  const list: Difference[] = [];
  for (const grant of key.grants) {
    const { gatewayProductId: product, status } = grant;
    const theirs = there.get(product) ?? null;
    there.delete(product);
    if ((status === 'approved') === (theirs === 'approved')) {
      list.push(...planDifference(key, grant, found, terms));
      continue;
    }
    const kind = theirs === null ? 'product_missing' : 'product_status';
    const fix = pickFix(status === 'approved', reopen);
    list.push({ ...keyDifference(key, kind, { portal: status, gateway: theirs, fix }), product });
  }
  for (const [product, status] of there) {
    if (status !== 'approved') continue;
    const fix = terms.isOurProduct(product) ? 'gateway' : 'none';
    list.push({ ...keyDifference(key, 'product_unknown', { portal: null, gateway: status, fix }), product });
  }
  return list;
}

// Plans are the portal's: whatever the gateway has, it gets that of the portal.
function planDifference(key: KnownKey, grant: GrantRecord, found: FoundKey, terms: ComparisonTerms): Difference[] {
  const { gatewayProductId: product } = grant;
  const there = found.products.find((one) => one.product === product);
  const [portal, gateway] = [planOfGrant(grant), there?.plan ?? null];
  if (!terms.capabilities.plans || !there || portal === gateway) return [];
  return [{ ...keyDifference(key, 'product_plan', { portal, gateway, fix: 'gateway' }), product }];
}

// Open here and closed there: the portal follows, unless `reopen` is set. Otherwise the gateway follows.
function pickFix(isOpenHere: boolean, reopen: boolean): DriftFix {
  return isOpenHere && !reopen ? 'portal' : 'gateway';
}

type Sides = Pick<Drift, 'portal' | 'gateway' | 'fix'>;

function difference(kind: DriftKind, sides: Sides): Difference {
  return { kind, credentialId: null, product: null, ...sides };
}

function keyDifference({ owned }: KnownKey, kind: DriftKind, sides: Sides): Difference {
  return { ...difference(kind, sides), credentialId: owned.credential.id };
}

function differs(a: Date | null, b: Date | null): boolean {
  if (a === null || b === null) return a !== b;
  return Math.abs(a.getTime() - b.getTime()) >= SAME_MS;
}

function text(date: Date | null): string {
  return date?.toISOString() ?? 'never';
}
