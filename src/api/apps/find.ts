import { NotFoundError } from '../../core/index.js';
import type { UserRecord } from '../../domain/accounts/index.js';
import type { Approver, OwnedApp, OwnedCredential, OwnedGrant } from '../../domain/apps/index.js';
import type { AdminActor, ConsumerActor } from '../../domain/auth/index.js';
import type { TeamAbility } from '../../domain/teams/index.js';
import type { PathContext } from '../define-route.js';

/** Path parameters; but for own apps, paths also name the owner: a team, and for admins a developer too. */
export interface OwnerParams {
  readonly user?: number;
  readonly team?: number;
}
export interface AppParams extends OwnerParams {
  readonly appName: string;
}
export interface CredentialParams extends AppParams {
  readonly id: number;
}
export interface GrantParams extends CredentialParams {
  readonly product: string;
}

export interface NextPlanParams extends GrantParams {
  /** Slug of the plan that is to come. */
  readonly plan: string;
}

interface FindContext<Params> extends PathContext<Params> {
  readonly actor: ConsumerActor | AdminActor;
}

/** The signed-in account as the one who makes the change. */
export const approverOf = ({ context, id }: ConsumerActor | AdminActor): Approver => ({
  type: context === 'admin' ? 'admin' : 'developer',
  id,
});

/** An act on an app, with the policy that admins need for it and the role that members of its team need. */
export const APP_ACTS = {
  view: { policy: 'view', ability: 'app.view' },
  create: { policy: 'create', ability: 'app.create' },
  update: { policy: 'update', ability: 'app.update' },
  delete: { policy: 'delete', ability: 'app.delete' },
  createKey: { policy: 'create', ability: 'app.keys.manage' },
  changeKey: { policy: 'update', ability: 'app.keys.manage' },
  deleteKey: { policy: 'delete', ability: 'app.keys.manage' },
  rotateKey: { policy: 'update', ability: 'app.keys.rotate' },
  // Not `view`: read-only admins must not get at keys.
  revealKey: { policy: 'update', ability: 'app.keys.reveal' },
  transfer: { policy: 'update', ability: 'app.transfer' },
  viewUsage: { policy: 'view', ability: 'usage.view' },
} as const satisfies Readonly<Record<string, { readonly policy: string; readonly ability: TeamAbility }>>;
export type AppAct = keyof typeof APP_ACTS;

/**
 * The owner of the apps. For developers it comes from the token, never from the path (S55), unless that names a team that
 * they are in and in which their role may do this.
 * @throws NotFoundError, ForbiddenError for a role that may not
 */
export async function findAppOwner(
  { services, actor, params }: FindContext<OwnerParams>,
  act: AppAct,
): Promise<UserRecord> {
  const { teams } = services.teams;
  if (params.team === undefined) {
    return actor.context === 'consumer' ? actor.user : teams.findOwner(params.user ?? 0);
  }
  if (actor.context === 'admin') return teams.accountOf(await teams.find(params.team));
  const { team } = await teams.requireSeat(actor.id, params.team, APP_ACTS[act].ability);
  return teams.accountOf(team);
}

/** @throws NotFoundError, ForbiddenError as {@link findAppOwner} */
export async function findApp(request: FindContext<AppParams>, act: AppAct): Promise<OwnedApp> {
  return request.services.apps.apps.find(await findAppOwner(request, act), request.params.appName);
}

/** @throws NotFoundError, ForbiddenError as {@link findAppOwner} */
export async function findCredential(request: FindContext<CredentialParams>, act: AppAct): Promise<OwnedCredential> {
  return request.services.apps.credentials.find(await findApp(request, act), request.params.id);
}

/** @throws NotFoundError, ForbiddenError as {@link findAppOwner} */
export async function findGrant(request: FindContext<GrantParams>, act: AppAct): Promise<OwnedGrant> {
  return request.services.apps.grants.find(await findCredential(request, act), request.params.product);
}

/** A product on a key that is to have the named plan. @throws NotFoundError, ForbiddenError as {@link findAppOwner} */
export async function findNextPlan(request: FindContext<NextPlanParams>, act: AppAct): Promise<OwnedGrant> {
  const owned = await findGrant(request, act);
  if (owned.grant.nextPlan?.slug !== request.params.plan) throw new NotFoundError();
  return owned;
}
