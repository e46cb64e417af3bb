import type { UserRecord } from '../../domain/accounts/index.js';
import type { Approver, OwnedApp, OwnedCredential, OwnedGrant } from '../../domain/apps/index.js';
import type { AdminActor, ConsumerActor } from '../../domain/auth/index.js';
import type { PortalServices } from '../services.js';

/** What a path names: those of admins also say whose app it is. */
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

interface Asked<Params> {
  readonly services: PortalServices;
  readonly actor: ConsumerActor | AdminActor;
  readonly params: Params;
}

/** Who changes something: the signed-in account. */
export const approverOf = ({ context, id }: ConsumerActor | AdminActor): Approver => ({
  type: context === 'admin' ? 'admin' : 'developer',
  id,
});

/** Whose apps are meant. Of a developer the token alone tells, whatever a path says (S55). @throws NotFoundError */
export async function findOwner({ services, actor, params }: Asked<OwnerParams>): Promise<UserRecord> {
  return actor.context === 'consumer' ? actor.user : services.accounts.users.find(params.user ?? 0);
}

/** @throws NotFoundError */
export async function findApp(asked: Asked<AppParams>): Promise<OwnedApp> {
  return asked.services.apps.apps.find(await findOwner(asked), asked.params.appName);
}

/** @throws NotFoundError */
export async function findCredential(asked: Asked<CredentialParams>): Promise<OwnedCredential> {
  return asked.services.apps.credentials.find(await findApp(asked), asked.params.id);
}

/** @throws NotFoundError */
export async function findGrant(asked: Asked<GrantParams>): Promise<OwnedGrant> {
  return asked.services.apps.grants.find(await findCredential(asked), asked.params.product);
}
