import { type AppAddress, GatewayNotFoundError } from '../../gateway/index.js';
import type { ApigeeCalls, ApigeeContext } from './apigee-calls.js';
import type { ApigeeDevelopers } from './apigee-developers.js';
import { places } from './place.js';
import { type ApigeeAppRecord, appOf } from './records.js';

/** An app of the portal, as found at Apigee. */
export interface ApigeeOwnedApp {
  readonly developerId: string;
  readonly name: string;
  readonly record: ApigeeAppRecord;
}

/** Finds apps and checks their identity, as a name may have been reused by another app (R15). */
export class OwnApps {
  constructor(
    private readonly context: ApigeeContext,
    private readonly developers: ApigeeDevelopers,
  ) {}

  /** @throws GatewayNotFoundError */
  async find(calls: ApigeeCalls, address: AppAddress): Promise<ApigeeOwnedApp> {
    const developerId = await this.developers.locate(calls, address.developer);
    const owned = await this.lookUp(calls, developerId, address);
    if (owned) return owned;
    throw new GatewayNotFoundError({ detail: `Apigee has no app ${address.name} of portal id ${address.portalId}` });
  }

  async lookUp(
    calls: ApigeeCalls,
    developerId: string,
    { name, portalId }: Pick<AppAddress, 'name' | 'portalId'>,
  ): Promise<ApigeeOwnedApp | undefined> {
    const record = await calls.find(places.app(developerId, name), appOf);
    return record && this.context.marks.isOnOurs(record, portalId) ? { developerId, name, record } : undefined;
  }
}
