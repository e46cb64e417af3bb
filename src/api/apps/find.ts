import { NotFoundError } from '../../core/index.js';
import type { UserRecord } from '../../domain/accounts/index.js';
import type { Approver, OwnedApp, OwnedCredential, OwnedGrant } from '../../domain/apps/index.js';
import type { AdminActor, ConsumerActor } from '../../domain/auth/index.js';
import type { PathContext } from '../define-route.js';

/** Path parameters; admin paths also name the owner of the app. */
export interface OwnerParams {
  readonly user?: number;
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

/** The owner of the apps. For developers it comes from the token alone, never from the path (S55). @throws NotFoundError */
export async function findOwner({ services, actor, params }: FindContext<OwnerParams>): Promise<UserRecord> {
  return actor.context === 'consumer' ? actor.user : services.accounts.users.find(params.user ?? 0);
}

/** @throws NotFoundError */
export async function findApp(request: FindContext<AppParams>): Promise<OwnedApp> {
  return request.services.apps.apps.find(await findOwner(request), request.params.appName);
}

/** @throws NotFoundError */
export async function findCredential(request: FindContext<CredentialParams>): Promise<OwnedCredential> {
  return request.services.apps.credentials.find(await findApp(request), request.params.id);
}

/** @throws NotFoundError */
export async function findGrant(request: FindContext<GrantParams>): Promise<OwnedGrant> {
  return request.services.apps.grants.find(await findCredential(request), request.params.product);
}

/** A product on a key that is to have the named plan. @throws NotFoundError */
export async function findNextPlan(request: FindContext<NextPlanParams>): Promise<OwnedGrant> {
  const owned = await findGrant(request);
  if (owned.grant.nextPlan?.slug !== request.params.plan) throw new NotFoundError();
  return owned;
}
