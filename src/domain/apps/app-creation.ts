import { randomUUID } from 'node:crypto';
import { UniqueViolationError, type Transaction } from '../../database/index.js';
import { GatewayConflictError, type IssuedKey } from '../../gateway/index.js';
import { addSeconds, ConflictError, ValidationError } from '../../kernel/index.js';
import type { UserRecord } from '../accounts/index.js';
import { appModel } from './app.js';
import type { KeyPlan } from './app-gateway.js';
import type { AppParts } from './app-parts.js';
import type { OwnedApp, OwnedCredential } from './app-reader.js';
import { initial, type Approver } from './approval.js';
import { CREATION_TIMEOUT_S, CredentialIssuer, newGrants, type GrantDraft } from './credential-issuer.js';
import { AccountNotActiveError } from './errors.js';
import { AppCreatedEvent, CredentialCreatedEvent } from './events.js';
import { keyEnd, requireProducts } from './key-terms.js';
import { attempt } from './two-sided-change.js';

export interface NewApp {
  readonly name: string;
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly callbackUrl?: string | null | undefined;
  /** Slugs or ids; with any, the app gets its first credential. */
  readonly products?: readonly (string | number)[] | undefined;
  /** Seconds that the first key lives. */
  readonly expiresIn?: number | undefined;
}

/** A row in the making: whoever holds the token may finish it or take it away. */
interface Reservation {
  readonly owned: OwnedApp;
  readonly token: string;
  readonly key: KeyPlan | null;
  /** Of a process that died half way; the gateway may have the app already. */
  readonly isTakenOver: boolean;
}

export interface CreatedApp {
  readonly owned: OwnedApp;
  readonly first: { readonly credential: OwnedCredential; readonly key: IssuedKey } | null;
}

/**
 * An app comes into being in three steps, none of which holds a transaction while the gateway is asked: a row in state
 * `creating`, the gateway, `synced`. When a step fails the earlier ones are taken back. When the process dies, the row is
 * nobody's: it is never shown, and the next attempt with the same name takes it over after a minute.
 */
export class AppCreation {
  private readonly issuer: CredentialIssuer;

  constructor(private readonly parts: AppParts) {
    this.issuer = new CredentialIssuer(parts);
  }

  /** @throws AccountNotActiveError (ConflictError for admins), ValidationError, the errors of the gateway */
  async run(owner: UserRecord, input: NewApp, by: Approver): Promise<CreatedApp> {
    requireActive(owner.status, by);
    const { clock, products: access, settings, gateway } = this.parts;
    const products = await requireProducts(access, owner.id, input.products ?? []);
    const now = clock.now();
    const expiresAt = keyEnd(input.expiresIn, settings, now);
    const reservation = await this.reserve(owner, input, newGrants(products, now), expiresAt);
    const { owned, key } = reservation;
    try {
      if (reservation.isTakenOver) await gateway.removeApp(owned);
      const made = await gateway.createApp(owned, key);
      return await this.finish(reservation, made.appId, made.key, by);
    } catch (error) {
      await this.takeBack(reservation);
      throw error instanceof GatewayConflictError ? nameTaken(error) : error;
    }
  }

  private async reserve(
    owner: UserRecord,
    input: NewApp,
    grants: readonly GrantDraft[],
    expiresAt: Date | null,
  ): Promise<Reservation> {
    const token = randomUUID();
    try {
      return await this.parts.database.transaction(async (transaction) => {
        const abandoned = await this.takeOver(owner.id, input.name, transaction);
        const id = await this.store(abandoned, owner, input, token, transaction);
        const key = grants.length > 0 ? await this.issuer.insert(id, grants, expiresAt, transaction) : null;
        const owned = await this.parts.reader.reloadApp({ owner, app: { id } }, transaction);
        return { owned, token, key, isTakenOver: abandoned !== undefined };
      });
    } catch (error) {
      throw error instanceof UniqueViolationError ? nameTaken(error) : error;
    }
  }

  /** The id of an abandoned row of that name, emptied and held by this transaction. */
  private async takeOver(userId: number, name: string, transaction: Transaction): Promise<number | undefined> {
    const { database, clock } = this.parts;
    const [row] = await database.select<{ id: number }>(
      `SELECT id FROM portal_apps
       WHERE user_id = ? AND name_key = ? AND sync_state = 'creating' AND lease_until <= ?`,
      [userId, name.toLowerCase(), clock.now()],
      { transaction },
    );
    if (!row) return undefined;
    const { affectedRows } = await database.execute(
      "UPDATE portal_apps SET lease_token = NULL WHERE id = ? AND sync_state = 'creating' AND lease_until <= ?",
      [row.id, clock.now()],
      { transaction },
    );
    if (affectedRows === 0) throw nameTaken();
    await database.execute('DELETE FROM portal_credentials WHERE app_id = ?', [row.id], { transaction });
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
      ...initial(settings.approval, now),
      syncState: 'creating' as const,
      leaseToken: token,
      leaseUntil: addSeconds(now, CREATION_TIMEOUT_S),
      createdAt: now,
      updatedAt: now,
    };
    if (abandoned === undefined) return Number((await appModel(database).create(values, { transaction })).id);
    await appModel(database).update(values, { where: { id: abandoned }, transaction });
    return abandoned;
  }

  private async finish(
    { owned, token, key: plan }: Reservation,
    gatewayAppId: string,
    key: IssuedKey | null,
    by: Approver,
  ): Promise<CreatedApp> {
    const { database, events, clock, reader } = this.parts;
    return database.transaction(async (transaction) => {
      const { affectedRows } = await database.execute(
        `UPDATE portal_apps SET sync_state = 'synced', gateway_app_id = ?, lease_token = NULL, lease_until = NULL
         WHERE id = ? AND lease_token = ?`,
        [gatewayAppId, owned.app.id, token],
        { transaction },
      );
      if (affectedRows === 0) throw new ConflictError({ detail: 'the creation took too long and was taken over' });
      await this.requireStillActive(owned.owner, by, transaction);
      const present = await reader.reloadApp(owned, transaction);
      const fact = { app: present.app, by, occurredAt: clock.now() };
      await events.emit(new AppCreatedEvent(fact), transaction);
      if (!plan || !key) return { owned: present, first: null };
      const credential = await this.issuer.finish(present, plan, key, transaction);
      await events.emit(new CredentialCreatedEvent({ ...fact, credential: credential.credential }), transaction);
      return { owned: present, first: { credential, key } };
    });
  }

  // Disabled while the gateway worked: their keys were closed before this one was made.
  private async requireStillActive({ id }: UserRecord, by: Approver, transaction: Transaction): Promise<void> {
    const sql = 'SELECT status FROM portal_users WHERE id = ?';
    const [row] = await this.parts.database.select<{ status: string }>(sql, [id], { transaction });
    requireActive(row?.status, by);
  }

  // What another attempt took over meanwhile is not ours to take away, at the gateway neither. A row that the gateway may
  // still know stays, so that the next attempt cleans up first.
  private async takeBack({ owned, token }: Reservation): Promise<void> {
    const { database, gateway, logger } = this.parts;
    const { id } = owned.app;
    await attempt(async () => {
      const [mine] = await database.select('SELECT id FROM portal_apps WHERE id = ? AND lease_token = ?', [id, token]);
      if (!mine) return;
      await gateway.removeApp(owned);
      const sql = "DELETE FROM portal_apps WHERE id = ? AND lease_token = ? AND sync_state = 'creating'";
      await database.execute(sql, [id, token]);
    }, logger);
  }
}

// The account of the admin who asks is not the one that waits.
function requireActive(status: string | undefined, { type }: Approver): void {
  if (status === 'active') return;
  if (type === 'developer') throw new AccountNotActiveError();
  throw new ConflictError({ errors: { user: ['The account of the developer is not active.'] } });
}

function nameTaken(cause?: unknown): ValidationError {
  return new ValidationError({ name: ['There is an app of that name already.'] }, { cause });
}
