import { UniqueViolationError, type Database } from '../../../database/index.js';
import {
  GatewayConflictError,
  type AppAddress,
  type DeveloperAddress,
  type GatewayDriver,
  type GatewayStatus,
} from '../../../gateway/index.js';
import type { Clock } from '../../../core/index.js';
import { userRecord, type UserRecord } from '../../accounts/index.js';
import type { AppRecord } from '../app/app.js';
import type { ApprovalStatus } from '../app/approval.js';
import { gatewayDeveloperRecord } from './gateway-developer.js';

/** The developer to address; the account may be gone. */
export type Addressee = Pick<UserRecord, 'id' | 'email'>;

/** The immutable identity of an app, which may be gone. */
export interface AppIdentity {
  readonly owner: Addressee;
  readonly app: Pick<AppRecord, 'id' | 'name' | 'gatewayName'>;
}

/**
 * Maps our records to gateway addresses. A developer is the one that the gateway created for this account, whatever
 * happens to their e-mail: matching by e-mail would hand over the keys along with a reassigned address (S70).
 */
export class GatewayAddresses {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async developer({ id, email }: Addressee): Promise<DeveloperAddress> {
    const gatewayDeveloper = await gatewayDeveloperRecord.find(this.database, { userId: id });
    return { id: String(id), email, gatewayId: gatewayDeveloper?.gatewayId ?? null };
  }

  /** Whether an account is that of a team. */
  isTeam({ id }: Pick<Addressee, 'id'>): Promise<boolean> {
    return userRecord.has(this.database, { id, kind: 'team' });
  }

  async app({ owner, app }: AppIdentity): Promise<AppAddress> {
    return { developer: await this.developer(owner), portalId: String(app.id), name: app.gatewayName ?? app.name };
  }

  /** Stores the developer's gateway id. @throws GatewayConflictError when it belongs to another account (S70) */
  async keep(developer: Addressee, gatewayId: string): Promise<void> {
    if (await this.update(developer, gatewayId)) return;
    try {
      const { id, email } = developer;
      await gatewayDeveloperRecord.insert(this.database, { userId: id, gatewayId, email, createdAt: this.clock.now() });
    } catch (error) {
      if (!(error instanceof UniqueViolationError)) throw error;
      // A concurrent request stored it first, or it belongs to another account.
      if (await this.update(developer, gatewayId)) return;
      const detail = `gateway developer ${gatewayId} belongs to another account than ${developer.id}`;
      throw new GatewayConflictError({ detail, cause: error });
    }
  }

  async forget({ id }: Pick<Addressee, 'id'>): Promise<void> {
    await gatewayDeveloperRecord.remove(this.database, { userId: id });
  }

  private async update({ id, email }: Addressee, gatewayId: string): Promise<boolean> {
    return (await gatewayDeveloperRecord.update(this.database, { userId: id }, { gatewayId, email })) > 0;
  }
}

/** Maps a status for the gateway: where it has no `pending`, what is pending is sent as revoked. */
export function gatewayStatus(
  { capabilities }: Pick<GatewayDriver, 'capabilities'>,
  status: ApprovalStatus,
): GatewayStatus {
  return status === 'pending' && !capabilities.pending ? 'revoked' : status;
}
