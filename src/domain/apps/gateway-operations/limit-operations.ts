import type { Transaction } from '../../../database/index.js';
import type { Changes } from '../../../core/index.js';
import {
  countStartOf,
  planOverrideRecord,
  quotaResetRecord,
  type PlanOverride,
  type QuotaReset,
} from '../../catalog/index.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedApp, OwnedGrant } from '../app/app-reader.js';
import type { Approver } from '../app/approval.js';
import type { AppTerms } from '../credential/grant.js';
import { AppLimitsRaisedEvent, AppLimitsRestoredEvent, AppQuotaResetEvent } from '../events.js';
import { appTarget } from './app-operations.js';
import type { Compensation, GatewayOperation } from './operation.js';

type New<R> = Omit<R, 'id' | 'state' | 'createdAt' | 'updatedAt'>;

/** What holds for a product of an app instead of what did. */
export type LimitChange = {
  readonly product: { readonly id: number; readonly slug: string };
  readonly changes: Changes;
} & (
  | { readonly kind: 'raise'; readonly next: New<PlanOverride> }
  | { readonly kind: 'restore' }
  | { readonly kind: 'reset'; readonly next: New<QuotaReset>; readonly countedAt: Date }
);

const EVENTS = { raise: AppLimitsRaisedEvent, restore: AppLimitsRestoredEvent, reset: AppQuotaResetEvent };

/** Other terms for a product on all keys of an app, from now on. @returns id of what was written; null for nothing */
export function appLimitChange(
  parts: AppParts,
  present: OwnedApp,
  change: LimitChange,
  by: Approver,
): GatewayOperation<number | null> {
  const { gateway, database, reader, events, clock } = parts;
  const { kind, product, changes } = change;
  const about = { appId: present.app.id, productId: product.id };
  const record = kind === 'reset' ? quotaResetRecord : planOverrideRecord;
  let started: Started = { id: null, terms: { override: null } };
  return {
    kind: 'app.limits',
    payload: { by },
    opens: true,
    reserve: async (transaction) => {
      started = await start(parts, change, transaction);
      return { ...appTarget(present), productId: product.id };
    },
    applyRemote: async () => {
      const grants = await reader.grantsOfProduct(present, product.id);
      for (const owned of grants) await gateway.setPlan({ ...owned, grant: { ...owned.grant, ...started.terms } });
    },
    // One call for each key: some may have it.
    isHalfDone: () => true,
    compensate: () => tellLimits(parts, present, product.id),
    release: (transaction) => forget(parts, about, transaction),
    commit: async (transaction) => {
      const now = clock.now();
      const ended = { state: 'ended', updatedAt: now } as const;
      await record.update(database, { ...about, state: 'current' }, ended, transaction);
      if (started.id !== null) await record.update(database, { id: started.id }, { state: 'current' }, transaction);
      const fact = { app: present.app, product: product.slug, changes, by, occurredAt: now };
      await events.emit(new EVENTS[kind](fact), transaction);
      return started.id;
    },
  };
}

/** How a change that broke off is settled: the limits that the portal knows hold on. */
export function planLimitsRepair(parts: AppParts, owned: OwnedApp, productId: number): Compensation {
  const about = { appId: owned.app.id, productId };
  return {
    compensate: () => tellLimits(parts, owned, productId),
    release: (transaction) => forget(parts, about, transaction),
  };
}

/** What a change has written, and what keys get with it. */
interface Started {
  readonly id: number | null;
  readonly terms: Partial<AppTerms>;
}

async function start({ database, clock }: AppParts, change: LimitChange, transaction: Transaction): Promise<Started> {
  if (change.kind === 'restore') return { id: null, terms: { override: null } };
  const now = clock.now();
  if (change.kind === 'raise') {
    const values = { ...change.next, state: 'starting', createdAt: now, updatedAt: now } as const;
    const id = await planOverrideRecord.insert(database, values, transaction);
    return { id, terms: { override: await planOverrideRecord.require(database, { id }, { transaction }) } };
  }
  const values = { ...change.next, state: 'starting', createdAt: change.countedAt, updatedAt: now } as const;
  const id = await quotaResetRecord.insert(database, values, transaction);
  const reset = await quotaResetRecord.require(database, { id }, { transaction });
  return { id, terms: { countStart: countStartOf(reset) } };
}

async function tellLimits({ gateway, reader }: AppParts, owned: OwnedApp, productId: number): Promise<void> {
  const grants: readonly OwnedGrant[] = await reader.grantsOfProduct(owned, productId);
  for (const grant of grants) await gateway.setPlan(grant);
}

async function forget(
  { database }: AppParts,
  about: { readonly appId: number; readonly productId: number },
  transaction: Transaction,
): Promise<void> {
  const starting = { ...about, state: 'starting' } as const;
  await planOverrideRecord.remove(database, starting, transaction);
  await quotaResetRecord.remove(database, starting, transaction);
}
