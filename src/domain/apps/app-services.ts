import type { Gateway } from '../../gateway/index.js';
import type { Encrypter } from '../../core/index.js';
import { AppLimits } from './app/app-limits.js';
import { AppDirectory } from './app/app-directory.js';
import { AppGateway } from './gateway-operations/app-gateway.js';
import { AppLeases } from './app-leases.js';
import type { AppParts } from './app-parts.js';
import { AppReader } from './app/app-reader.js';
import { AppProducts } from './app/app-products.js';
import { AppService } from './app/app-service.js';
import { AppTransfers } from './app/app-transfers.js';
import { QuotaResets } from './app/quota-resets.js';
import { AppWrites } from './app/app-writes.js';
import { CredentialDirectory } from './credential/credential-directory.js';
import { CredentialRotation } from './credential/credential-rotation.js';
import { CredentialService } from './credential/credential-service.js';
import {
  listenToDevelopers,
  listenToPlans,
  listenToProducts,
  TeamIntroductions,
} from './gateway-operations/developer-listeners.js';
import { DeveloperGateway } from './gateway-operations/developer-gateway.js';
import type { ProductAccess, ProductDrafts, TeamDrafts, TeamPeople } from './contracts.js';
import { CredentialEvent, KeysClosingEvent } from './events.js';
import { GatewayAddresses } from './gateway-operations/gateway-addresses.js';
import { DuePlans } from './credential/due-plans.js';
import { GrantPlans } from './credential/grant-plans.js';
import { GrantService } from './credential/grant-service.js';
import { GatewayImport } from './sync/gateway-import.js';
import { LastUses } from './credential/last-uses.js';
import { OperationRunner } from './gateway-operations/runner.js';
import { OperationLog } from './gateway-operations/operation-log.js';
import { Recovery } from './gateway-operations/recovery.js';
import { GatewaySync } from './sync/gateway-sync.js';
import { Trials } from './credential/trials.js';
import { VersionMoves } from './credential/version-moves.js';
import { CallSender, type TryItSettings } from './call-sender.js';
import { WaitingQueue } from './waiting-queue.js';
import type { Transaction } from '../../database/index.js';
import type { LimitStore } from '../../limits/index.js';
import type { OutboundFetcher } from '../../outbound/index.js';
import { UserReclaimedEvent, type UserRecord } from '../accounts/index.js';
import { revoke } from './app/approval.js';
import { statePayload } from './gateway-operations/operation.js';

/** The services of this domain, as routes and pages call them. */
export interface AppServices {
  readonly apps: AppService;
  /** The apps of all developers, for admins. */
  readonly directory: AppDirectory;
  /** What waits for a decision of an admin. */
  readonly waiting: WaitingQueue;
  readonly credentials: CredentialService;
  /** The keys of all developers, for admins. */
  readonly credentialDirectory: CredentialDirectory;
  readonly rotation: CredentialRotation;
  readonly grants: GrantService;
  /** What admins raise beyond the plans. */
  readonly limits: AppLimits;
  /** Quotas that admins let start anew. */
  readonly quotaResets: QuotaResets;
  /** The plans of products on keys. */
  readonly plans: GrantPlans;
  /** Hands apps over to another owner. */
  readonly transfers: AppTransfers;
  /** Moves keys to the active versions of their plans. */
  readonly versionMoves: VersionMoves;
  /** Ends trials of plans. */
  readonly trials: Trials;
  /** Gives products on keys the plan whose time has come. */
  readonly duePlans: DuePlans;
  /** Sends requests to APIs for developers who try them. */
  readonly calls: CallSender;
  /** Finishes or rolls back changes that broke off between portal and gateway. */
  readonly recovery: Recovery;
  /** Compares portal and gateway and reconciles them. */
  readonly sync: GatewaySync;
  /** Imports what the gateway had before the portal. */
  readonly import: GatewayImport;
  /** Tells the gateway who is in teams. */
  readonly introductions: TeamIntroductions;
}

type Built =
  'gateway' | 'developers' | 'leases' | 'operationLog' | 'runner' | 'recovery' | 'reader' | 'writes' | 'lastUses';

export interface AppServicesParts extends Omit<AppParts, Built> {
  readonly gateway: Gateway;
  readonly encrypter: Encrypter;
  readonly products: ProductAccess & ProductDrafts;
  readonly teamDrafts: TeamDrafts;
  readonly teamPeople: TeamPeople;
  /** A developer who must confirm an address only waits once that is done. */
  readonly verifyEmail: boolean;
  readonly tryIt: TryItSettings;
  readonly outbound: OutboundFetcher;
  readonly limitStore: LimitStore;
}

/** Builds the domain's services and subscribes them to account and product events. */
export function createAppServices({ gateway, encrypter, verifyEmail, ...rest }: AppServicesParts): AppServices {
  const { database, clock } = rest;
  const addresses = new GatewayAddresses(database, clock);
  const developers = new DeveloperGateway(gateway, addresses, rest.teamPeople);
  const operationLog = new OperationLog(database, clock);
  const appGateway = new AppGateway(gateway, addresses, developers, encrypter, database);
  const lastUses = new LastUses(appGateway, clock, rest.logger);
  const parts: AppParts = {
    ...{ ...rest, developers, operationLog, gateway: appGateway },
    lastUses,
    leases: new AppLeases(database, clock),
    reader: new AppReader(database),
    writes: new AppWrites(database, clock),
    runner: new OperationRunner({ ...rest, operationLog }),
    recovery: () => recovery,
  };
  const products = new AppProducts(parts);
  const recovery = new Recovery(parts, { products: (entry) => products.resume(entry) });
  rest.events.on(CredentialEvent, ({ credential }) => lastUses.forget(credential.id));
  listenToDevelopers(parts);
  listenToProducts(parts);
  listenToPlans(parts);
  closeReclaimedKeys(parts);
  return {
    apps: new AppService(parts),
    directory: new AppDirectory(parts),
    waiting: new WaitingQueue({ ...parts, verifyEmail }),
    credentials: new CredentialService(parts),
    credentialDirectory: new CredentialDirectory(parts),
    rotation: new CredentialRotation(parts),
    grants: new GrantService(parts),
    limits: new AppLimits(parts),
    quotaResets: new QuotaResets(parts),
    plans: new GrantPlans(parts),
    versionMoves: new VersionMoves(parts),
    transfers: new AppTransfers(parts),
    trials: new Trials(parts),
    duePlans: new DuePlans(parts),
    calls: new CallSender({ ...parts, settings: rest.tryIt, limits: rest.limitStore, outbound: rest.outbound }),
    recovery,
    sync: new GatewaySync(parts, gateway),
    introductions: new TeamIntroductions(parts),
    import: new GatewayImport(parts, gateway, { products: rest.products, teams: rest.teamDrafts }),
  };
}

const REASON = 'Revoked when the address of the account was proved by a new password. Restore it if it is yours.';

/**
 * Closes every key of an account that its owner took over, since whoever made the account may have copied them. The log
 * entries are written with the password reset, so that the keys close even if the gateway is down now (R14). They are
 * revoked in the developer's name, who may restore them.
 */
function closeReclaimedKeys(parts: AppParts): void {
  const { events, recovery } = parts;
  events.within(UserReclaimedEvent, ({ user }, transaction) => logClosing(parts, user, transaction));
  events.on(UserReclaimedEvent, ({ user }) => recovery().settleDeveloper(user.id));
}

async function logClosing(parts: AppParts, user: UserRecord, transaction: Transaction): Promise<void> {
  const { operationLog, reader, events, clock } = parts;
  const by = { type: 'developer', id: user.id } as const;
  const keys = await reader.openCredentialsOf(user.id, clock.now(), transaction);
  for (const credential of keys) {
    const payload = statePayload(revoke(credential, by, REASON), by);
    const target = { userId: user.id, appId: credential.appId, credentialId: credential.id, productId: null };
    await operationLog.open({ kind: 'key.status', payload, ...target }, transaction);
  }
  const fact = { user, keys: keys.length, occurredAt: clock.now() };
  if (keys.length > 0) await events.emit(new KeysClosingEvent(fact), transaction);
}
