import { fullName } from '../../domain/accounts/index.js';
import {
  maskKey,
  type AppOwner,
  type AppProduct,
  type AppView,
  type CredentialView,
  type GrantRecord,
  type OverrideView,
  type OwnedAppView,
  type OwnedCredentialView,
} from '../../domain/apps/index.js';
import type { TeamRecord } from '../../domain/teams/index.js';
import { raiseLimits, type PlanFacts, type PlanOverride } from '../../domain/catalog/index.js';
import { presentLimits } from '../catalog/plan-presenter.js';

/** A credential; with the full key only where the view has it. */
export function presentCredential({ keyHint, key, ...credential }: CredentialView) {
  return {
    id: credential.id,
    consumer_key: key ? key.consumerKey : maskKey(keyHint),
    ...(key ? { consumer_secret: key.consumerSecret } : {}),
    status: credential.status,
    status_reason: credential.statusReason,
    revoked_by: credential.revokedBy,
    issued_at: credential.issuedAt,
    expires_at: credential.expiresAt,
    last_used_at: credential.lastUsedAt,
    last_used_as_of: credential.lastUsedAsOf,
    replaced_by: credential.replacedBy,
    products: credential.products.map(presentGrant),
  };
}

export function presentApp({ app, credentials, products }: AppView) {
  return {
    id: app.id,
    name: app.name,
    display_name: app.displayName,
    description: app.description,
    callback_url: app.callbackUrl,
    status: app.status,
    status_reason: app.statusReason,
    revoked_by: app.revokedBy,
    first_called_at: app.firstCalledAt,
    ...(credentials ? { credentials: credentials.map(presentCredential) } : {}),
    ...(products ? { products: products.map(presentProduct) } : {}),
    created_at: app.createdAt,
    updated_at: app.updatedAt,
  };
}

/** Whose an app is: the team where that owns it. */
interface Owning {
  readonly owner: AppOwner;
  readonly team: TeamRecord | undefined;
}

/** An app as admins see it. @param owning where the answer tells it */
export function presentAdminApp(view: AppView, owning?: Owning | null) {
  const { id, ...app } = presentApp(view);
  return {
    id,
    user_id: view.app.userId,
    ...app,
    ...(owning && { user: presentAppOwner(owning.owner), team: presentTeam(owning.team) }),
  };
}

function presentTeam(team: TeamRecord | undefined) {
  return team ? { id: team.id, name: team.name } : null;
}

/** An app in the list of all developers' apps. */
export function presentListedApp(view: OwnedAppView, team?: TeamRecord) {
  return presentAdminApp(view, view.owner && { owner: view.owner, team });
}

export function presentAppOwner(owner: AppOwner) {
  const { id, email, status } = owner;
  return { id, email, full_name: fullName(owner), status };
}

/** A key in the list of all developers' keys. */
export function presentListedCredential(credential: OwnedCredentialView, team?: TeamRecord) {
  const { app, products } = credential;
  return {
    id: credential.id,
    consumer_key: maskKey(credential.keyHint),
    status: credential.status,
    status_reason: credential.statusReason,
    revoked_by: credential.revokedBy,
    issued_at: credential.issuedAt,
    expires_at: credential.expiresAt,
    replaced_by: credential.replacedBy,
    ...(products ? { products: products.map(presentGrant) } : {}),
    app: { name: app.name, display_name: app.displayName, status: app.status },
    user: presentAppOwner(credential.owner),
    team: presentTeam(team),
  };
}

function presentProduct({ slug, name, status }: AppProduct) {
  return { slug, name, status };
}

function presentGrant({ slug, name, status, statusReason, revokedBy, plan, ...grant }: GrantRecord) {
  const { nextPlan, nextPlanStatus, nextPlanBy, nextPlanAt, override } = grant;
  return {
    ...{ slug, name, status, status_reason: statusReason, revoked_by: revokedBy },
    plan: plan && { ...presentPlanOfKey(plan), ...presentLimits(plan.limits) },
    override: plan && override && { ...presentLimits(raiseLimits(plan.limits, override)), ...presentTerms(override) },
    trial:
      plan && grant.trialEndsAt && plan.fallback ? { ends_at: grant.trialEndsAt, fallback_plan: plan.fallback } : null,
    next_plan: nextPlan && {
      ...presentPlanOfKey(nextPlan),
      ...presentLimits(nextPlan.limits),
      ...{ status: nextPlanStatus, asked_by: nextPlanBy, at: nextPlanAt },
    },
  };
}

function presentTerms({ isExempt, reason, endsAt }: Pick<PlanOverride, 'isExempt' | 'reason' | 'endsAt'>) {
  return { exempt: isExempt, reason, ends_at: endsAt };
}

/** What an admin raised for a product of an app. */
export function presentOverride({ id, product, isInForce, ...override }: OverrideView) {
  return {
    ...{ id, product, status: isInForce ? 'active' : 'ended' },
    ...{ rate_per_second: override.ratePerSecond, rate_per_minute: override.ratePerMinute },
    ...{ rate_per_hour: override.ratePerHour, quota_per_day: override.quotaPerDay },
    ...{ quota_per_month: override.quotaPerMonth, quota_per_anchored_month: override.quotaPerAnchoredMonth },
    ...presentTerms(override),
    ...{ created_at: override.createdAt, updated_at: override.updatedAt },
  };
}

export function presentPlanOfKey({ slug, name, version }: PlanFacts) {
  return { slug, name, version };
}
