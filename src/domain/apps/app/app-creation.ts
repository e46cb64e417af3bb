import { randomUUID } from 'node:crypto';
import { Op, UniqueViolationError, type Transaction } from '../../../database/index.js';
import { GatewayConflictError, type IssuedKey, type KeyPair } from '../../../gateway/index.js';
import { addSeconds, ConflictError, findEarlierWork, resultGoneError, ValidationError } from '../../../core/index.js';
import { userRecord, type UserRecord } from '../../accounts/index.js';
import { appRecord } from './app.js';
import { credentialRecord } from '../credential/credential.js';
import type { KeyPlan } from '../gateway-operations/app-gateway.js';
import { LEASE_S } from '../app-leases.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedApp, OwnedCredential } from './app-reader.js';
import { startApproval, type Approver } from './approval.js';
import { requireOwnerRoom } from './owner-room.js';
import { CredentialIssuer, newGrants } from '../credential/credential-issuer.js';
import type { ProductChoice } from '../contracts.js';
import { AccountNotActiveError } from '../errors.js';
import { AppCreatedEvent, CredentialCreatedEvent } from '../events.js';
import { keyEnd, requireProducts } from '../credential/key-terms.js';
import { appTarget } from '../gateway-operations/app-operations.js';
import type { KeyTerms } from '../gateway-operations/key-operations.js';
import { leaveNote, type GatewayOperation } from '../gateway-operations/operation.js';

export interface NewApp {
  readonly name: string;
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly callbackUrl?: string | null | undefined;
  /** If there are any, the app gets its first credential. */
  readonly products?: readonly ProductChoice[] | undefined;
  /** Lifetime of the first key in seconds. */
  readonly expiresIn?: number | undefined;
}

/** A row being created: the holder of its lease token may finish or remove it. */
interface Reservation {
  readonly owned: OwnedApp;
  readonly key: KeyPlan | null;
  /** Left by a process that died half way; the gateway may have the app already. */
  readonly isTakenOver: boolean;
}

export interface NewAppResult {
  readonly owned: OwnedApp;
  readonly first: { readonly credential: OwnedCredential; readonly key: KeyPair } | null;
}

const KIND = 'app';

interface AppNote {
  readonly id: number;
  readonly first: { readonly id: number; readonly key: KeyPair } | null;
}

/**
 * Creates an app in three steps, with no transaction open during the gateway call: a row in state `creating` with its
 * log entry, the gateway, `synced`. If a step fails, the earlier ones are undone. If the process dies, the row is never
 * shown and is removed by the next recovery or the next attempt with the same name.
 */
export class AppCreation {
  private readonly issuer: CredentialIssuer;

  constructor(private readonly parts: AppParts) {
    this.issuer = new CredentialIssuer(parts);
  }

  /** @throws AccountNotActiveError (ConflictError for admins), ValidationError, the errors of the gateway */
  async run(owner: UserRecord, input: NewApp, by: Approver): Promise<NewAppResult> {
    const earlier = await this.findEarlier(owner);
    if (earlier) return earlier;
    requireActive(owner.status, by);
    const { clock, settings, runner } = this.parts;
    const products = await requireProducts(this.parts, owner.id, input.products ?? []);
    const now = clock.now();
    const terms = { grants: newGrants(products, now), expiresAt: keyEnd(input.expiresIn, settings, now, products) };
    try {
      return await runner.run(leaveNote(this.creation(owner, input, terms, by), KIND, noteOf));
    } catch (error) {
      throw error instanceof UniqueViolationError || error instanceof GatewayConflictError ? nameTaken(error) : error;
    }
  }

  /** The app that an earlier attempt of this request made before its process died. */
  private async findEarlier(owner: UserRecord): Promise<NewAppResult | null> {
    const note = findEarlierWork<AppNote>(KIND);
    if (!note) return null;
    const { reader } = this.parts;
    const owned = await reader.findAnyApp(owner, note.id);
    if (!owned) throw resultGoneError();
    const credential = note.first && (await reader.findAnyCredential(owned, note.first.id));
    return { owned, first: note.first && credential ? { credential, key: note.first.key } : null };
  }

  private creation(owner: UserRecord, input: NewApp, terms: KeyTerms, by: Approver): GatewayOperation<NewAppResult> {
    const { gateway, leases } = this.parts;
    const token = randomUUID();
    let reserved: Reservation | undefined;
    let made: { appId: string; key: IssuedKey | null } | undefined;
    const present = (): Reservation => {
      if (!reserved) throw new Error('the row of the app was not reserved yet');
      return reserved;
    };
    return {
      kind: 'app.create',
      payload: { email: owner.email, name: input.name },
      opens: true,
      reserve: async (transaction) => {
        reserved = await this.reserve(owner, input, terms, token, transaction);
        return appTarget(reserved.owned);
      },
      applyRemote: async () => {
        const { owned, key, isTakenOver } = present();
        made = await leases.keep(owned.app.id, token, async () => {
          if (isTakenOver) await gateway.removeApp(owned);
          return gateway.createApp(owned, key);
        });
      },
      commit: (transaction) => this.finish(present(), made as NonNullable<typeof made>, token, by, transaction),
      compensate: () => gateway.removeApp(present().owned),
      // What a dead process left at the gateway may still be there.
      isHalfDone: () => present().isTakenOver,
      release: async (transaction) => {
        const where = { id: present().owned.app.id, leaseToken: token, syncState: 'creating' } as const;
        await appRecord.remove(this.parts.database, where, transaction);
      },
    };
  }

  private async reserve(
    owner: UserRecord,
    input: NewApp,
    { grants, expiresAt }: KeyTerms,
    token: string,
    transaction: Transaction,
  ): Promise<Reservation> {
    const abandoned = await this.takeOver(owner.id, input.name, transaction);
    const more = { apps: abandoned === undefined ? 1 : 0, keys: grants.length > 0 ? 1 : 0 };
    await requireOwnerRoom(this.parts, owner.id, more, transaction);
    const id = await this.store(abandoned, owner, input, token, transaction);
    const key = grants.length > 0 ? await this.issuer.insert(id, grants, expiresAt, transaction) : null;
    const owned = await this.parts.reader.reloadApp({ owner, app: { id } }, transaction);
    return { owned, key, isTakenOver: abandoned !== undefined };
  }

  /** The id of an abandoned row of that name, cleared and leased by this transaction. */
  private async takeOver(userId: number, name: string, transaction: Transaction): Promise<number | undefined> {
    const { database, clock } = this.parts;
    const isAbandoned = { syncState: 'creating', leaseUntil: { [Op.lte]: clock.now() } } as const;
    const where = { userId, nameKey: name.toLowerCase(), ...isAbandoned };
    const row = await appRecord.find(database, where, { only: ['id'], transaction });
    if (!row) return undefined;
    const taken = await appRecord.update(database, { id: row.id, ...isAbandoned }, { leaseToken: null }, transaction);
    if (taken === 0) throw nameTaken();
    await credentialRecord.remove(database, { appId: row.id }, transaction);
    await this.parts.operationLog.dropAllOf({ appId: row.id }, transaction);
    return row.id;
  }

  private async store(
    abandoned: number | undefined,
    owner: UserRecord,
    input: NewApp,
    token: string,
    transaction: Transaction,
  ): Promise<number> {
    const { database, clock, settings } = this.parts;
    const now = clock.now();
    const values = {
      userId: owner.id,
      name: input.name,
      nameKey: input.name.toLowerCase(),
      displayName: input.displayName ?? input.name,
      description: input.description ?? '',
      callbackUrl: input.callbackUrl ?? null,
      ...startApproval(settings.approval, now),
      syncState: 'creating' as const,
      leaseToken: token,
      leaseUntil: addSeconds(now, LEASE_S),
      createdAt: now,
      updatedAt: now,
    };
    if (abandoned === undefined) return appRecord.insert(database, values, transaction);
    await appRecord.update(database, { id: abandoned }, values, transaction);
    return abandoned;
  }

  private async finish(
    { owned, key: plan }: Reservation,
    { appId, key }: { appId: string; key: IssuedKey | null },
    token: string,
    by: Approver,
    transaction: Transaction,
  ): Promise<NewAppResult> {
    const { database, events, clock, reader } = this.parts;
    const mine = { id: owned.app.id, leaseToken: token };
    const synced = { syncState: 'synced', gatewayAppId: appId, leaseToken: null, leaseUntil: null } as const;
    if ((await appRecord.update(database, mine, synced, transaction)) === 0) {
      throw new ConflictError({ detail: 'the creation took too long and was taken over' });
    }
    await this.requireStillActive(owned.owner, by, transaction);
    const present = await reader.reloadApp(owned, transaction);
    const fact = { app: present.app, by, occurredAt: clock.now() };
    await events.emit(new AppCreatedEvent(fact), transaction);
    if (!plan || !key) return { owned: present, first: null };
    const credential = await this.issuer.finish(present, plan, key, transaction);
    await events.emit(new CredentialCreatedEvent({ ...fact, credential: credential.credential }), transaction);
    return { owned: present, first: { credential, key } };
  }

  // The account was disabled during the gateway call: its keys were closed before this one was made.
  private async requireStillActive({ id }: UserRecord, by: Approver, transaction: Transaction): Promise<void> {
    const present = await userRecord.find(this.parts.database, { id }, { transaction });
    requireActive(present?.status, by);
  }
}

function noteOf({ owned, first }: NewAppResult): AppNote {
  if (!first) return { id: owned.app.id, first: null };
  const { consumerKey, consumerSecret } = first.key;
  return { id: owned.app.id, first: { id: first.credential.credential.id, key: { consumerKey, consumerSecret } } };
}

// For an admin the error is a conflict: it is not their own account that waits.
function requireActive(status: string | undefined, { type }: Approver): void {
  if (status === 'active') return;
  if (type === 'developer') throw new AccountNotActiveError();
  throw new ConflictError({ errors: { user: ['The account of the developer is not active.'] } });
}

function nameTaken(cause?: unknown): ValidationError {
  return new ValidationError({ name: ['There is an app of that name already.'] }, { cause });
}
