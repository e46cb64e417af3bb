import type { UserRecord } from '../../domain/accounts/index.js';
import type { OwnedCredential, OwnedGrant } from '../../domain/apps/index.js';
import type { PortalServices } from '../services.js';

interface Asked<Params> {
  readonly services: PortalServices;
  readonly actor: { readonly user: UserRecord };
  readonly params: Params;
}

/** The owner comes from the token only (S55). @throws NotFoundError */
export async function findOwnCredential({
  services,
  actor,
  params,
}: Asked<{ appName: string; id: number }>): Promise<OwnedCredential> {
  const app = await services.apps.apps.find(actor.user, params.appName);
  return services.apps.credentials.find(app, params.id);
}

/** @throws NotFoundError */
export async function findOwnGrant(
  asked: Asked<{ appName: string; id: number; product: string }>,
): Promise<OwnedGrant> {
  return asked.services.apps.grants.find(await findOwnCredential(asked), asked.params.product);
}
