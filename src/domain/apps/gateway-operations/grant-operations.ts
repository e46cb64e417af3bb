import type { PlanFacts } from '../../catalog/index.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedCredential, OwnedGrant } from '../app/app-reader.js';
import { stateChanges, type Approvable, type Initiator } from '../app/approval.js';
import type { GrantDraft } from '../credential/credential-issuer.js';
import {
  CredentialPlanChangedEvent,
  CredentialProductAddedEvent,
  CredentialProductApprovedEvent,
  CredentialProductRemovedEvent,
  CredentialProductRevokedEvent,
} from '../events.js';
import { grantRecord, NO_NEXT_PLAN, rowOfGrant, type GrantRecord } from '../credential/grant.js';
import { startTrials } from '../credential/start-trials.js';
import { appTarget } from './app-operations.js';
import { type GatewayOperation, type OperationTarget, statePayload } from './operation.js';

function grantTarget(present: OwnedCredential, productId: number): OperationTarget {
  return { ...appTarget(present), credentialId: present.credential.id, productId };
}

export function grantAddition(
  { gateway, database, events, clock }: AppParts,
  present: OwnedCredential,
  draft: GrantDraft,
  by: Initiator,
): GatewayOperation<void> {
  const grant: GrantRecord = { ...draft, credentialId: present.credential.id };
  const { slug } = grant;
  const owned = { ...present, grant };
  return {
    kind: 'grant.add',
    payload: { gatewayProductId: grant.gatewayProductId },
    opens: true,
    reserve: () => Promise.resolve(grantTarget(present, grant.productId)),
    applyRemote: () => gateway.setProduct(owned, grant.status),
    compensate: () => gateway.removeProduct(owned),
    commit: async (transaction) => {
      const now = clock.now();
      await grantRecord.insert(database, { ...rowOfGrant(grant), createdAt: now, updatedAt: now }, transaction);
      await startTrials({ database, clock }, present.owner.id, [grant], transaction);
      const fact = { ...present, product: slug, by, occurredAt: now };
      await events.emit(new CredentialProductAddedEvent(fact), transaction);
    },
  };
}

export function grantRemoval(
  { gateway, database, events, clock }: AppParts,
  present: OwnedGrant,
  by: Initiator,
): GatewayOperation<void> {
  const { credentialId, productId, slug, status } = present.grant;
  return {
    kind: 'grant.remove',
    payload: { by },
    opens: false,
    reserve: () => Promise.resolve(grantTarget(present, productId)),
    applyRemote: () => gateway.removeProduct(present),
    compensate: () => gateway.setProduct(present, status),
    commit: async (transaction) => {
      await grantRecord.remove(database, { credentialId, productId }, transaction);
      const fact = { ...present, product: slug, by, occurredAt: clock.now() };
      await events.emit(new CredentialProductRemovedEvent(fact), transaction);
    },
  };
}

export function grantStatusChange(
  { gateway, writes, database, events, clock }: AppParts,
  present: OwnedGrant,
  next: Approvable,
  by: Initiator,
): GatewayOperation<void> {
  const { credentialId, productId, slug, status } = present.grant;
  const Event = next.status === 'revoked' ? CredentialProductRevokedEvent : CredentialProductApprovedEvent;
  return {
    kind: 'grant.status',
    payload: statePayload(next, by),
    opens: next.status === 'approved',
    reserve: () => Promise.resolve(grantTarget(present, productId)),
    applyRemote: () => gateway.setProduct(present, next.status),
    compensate: () => gateway.setProduct(present, status),
    commit: async (transaction) => {
      const changes = stateChanges(present.grant, next);
      if (Object.keys(changes).length === 0) return;
      await writes.setGrant(credentialId, productId, next, transaction);
      await startTrials({ database, clock }, present.owner.id, [{ ...present.grant, ...next }], transaction);
      const fact = { ...present, product: slug, changes, by, occurredAt: clock.now() };
      await events.emit(new Event(fact), transaction);
    },
  };
}

/**
 * Another plan for a product on a key, from now on.
 * @param keepsNext what was to come after the present one still does; otherwise it is dropped
 */
export function grantPlanChange(
  { gateway, database, events, clock }: AppParts,
  present: OwnedGrant,
  next: PlanFacts,
  by: Initiator,
  keepsNext = false,
): GatewayOperation<void> {
  const { credentialId, productId, slug, plan, planDay } = present.grant;
  const values = {
    planVersionId: next.versionId,
    planDay: planDay ?? clock.now().getUTCDate(),
    trialEndsAt: null,
    ...(!keepsNext && NO_NEXT_PLAN),
  };
  return {
    kind: 'grant.plan',
    payload: { by },
    opens: true,
    reserve: () => Promise.resolve(grantTarget(present, productId)),
    applyRemote: () => gateway.setPlan({ ...present, grant: { ...present.grant, ...values } }),
    compensate: () => gateway.setPlan(present),
    commit: async (transaction) => {
      const now = clock.now();
      await grantRecord.update(database, { credentialId, productId }, { ...values, updatedAt: now }, transaction);
      await startTrials({ database, clock }, present.owner.id, [{ ...present.grant, ...values }], transaction);
      const changes = { plan: [plan && namePlan(plan), namePlan(next)] } as const;
      const fact = { ...present, product: slug, changes, by, occurredAt: now };
      await events.emit(new CredentialPlanChangedEvent(fact), transaction);
    },
  };
}

/** A version of a plan in events: `pro v2`. */
export function namePlan({ slug, version }: PlanFacts): string {
  return `${slug} v${version}`;
}
