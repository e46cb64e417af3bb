import { UniqueViolationError, type Database } from '../../../database/index.js';
import {
  GatewayConflictError,
  type AppAddress,
  type DeveloperAddress,
  type GatewayDriver,
  type GatewayStatus,
} from '../../../gateway/index.js';
import type { Clock } from '../../../core/index.js';
import type { UserRecord } from '../../accounts/index.js';
import type { AppRecord } from '../app/app.js';
import type { ApprovalStatus } from '../app/approval.js';
import { gatewayLinkRecord } from './gateway-link.js';

/** Whose address is wanted; also of an account that is gone. */
export type Addressee = Pick<UserRecord, 'id' | 'email'>;

/** An app by what never changes; also one that is gone. */
export interface AppIdentity {
  readonly owner: Addressee;
  readonly app: Pick<AppRecord, 'id' | 'name' | 'gatewayName'>;
}

/**
 * How the gateway calls our records. A developer is the one that the gateway made for this account, whatever their e-mail
 * has become since: by e-mail alone, somebody who took over the address of another would take over their keys (S70).
 */
export class GatewayAddresses {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async developer({ id, email }: Addressee): Promise<DeveloperAddress> {
    const link = await gatewayLinkRecord.find(this.database, { userId: id });
    return { id: String(id), email, gatewayId: link?.gatewayId ?? null };
  }

  async app({ owner, app }: AppIdentity): Promise<AppAddress> {
    return { developer: await this.developer(owner), portalId: String(app.id), name: app.gatewayName ?? app.name };
  }

  /** Remembers who the developer is there. @throws GatewayConflictError when that is somebody else's already (S70) */
  async keep(developer: Addressee, gatewayId: string): Promise<void> {
    if (await this.update(developer, gatewayId)) return;
    try {
      const { id, email } = developer;
      await gatewayLinkRecord.insert(this.database, { userId: id, gatewayId, email, createdAt: this.clock.now() });
    } catch (error) {
      if (!(error instanceof UniqueViolationError)) throw error;
      // Another request of the same developer was faster; or it is not them.
      if (await this.update(developer, gatewayId)) return;
      const detail = `gateway developer ${gatewayId} belongs to another account than ${developer.id}`;
      throw new GatewayConflictError({ detail, cause: error });
    }
  }

  async forget({ id }: Pick<Addressee, 'id'>): Promise<void> {
    await gatewayLinkRecord.remove(this.database, { userId: id });
  }

  private async update({ id, email }: Addressee, gatewayId: string): Promise<boolean> {
    return (await gatewayLinkRecord.update(this.database, { userId: id }, { gatewayId, email })) > 0;
  }
}

/** What is sent for a state of ours: a gateway that knows no waiting keeps shut what waits. */
export function gatewayStatus(
  { capabilities }: Pick<GatewayDriver, 'capabilities'>,
  status: ApprovalStatus,
): GatewayStatus {
  return status === 'pending' && !capabilities.pending ? 'revoked' : status;
}
