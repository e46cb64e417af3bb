import { createHash, randomBytes } from 'node:crypto';
import { changeJoinRows, lockRecord, Op, type Transaction } from '../../database/index.js';
import {
  addSeconds,
  ConflictError,
  nextVersion,
  NotFoundError,
  ValidationError,
  type ExpectedVersion,
  type ListPage,
  type ListQuery,
} from '../../core/index.js';
import { cleanName } from '../accounts/index.js';
import { chooseKnown, names, type References } from './chosen.js';
import { ServiceTokenCreatedEvent, ServiceTokenRevokedEvent, ServiceTokenRotatedEvent } from './events.js';
import { changePermissions, type PermissionChangeParts } from './permission-changes.js';
import { permissionRecord } from './permission.js';
import type { Granter } from './permission-rules.js';
import {
  PERMISSIONS_OF_TOKEN,
  serviceTokenList,
  serviceTokenRecord,
  stateOfToken,
  withTokenPermissions,
  type ServiceTokenRecord,
  type ServiceTokenState,
} from './service-token.js';

/** What every service token begins with, so that people and secret scanners recognise one. */
export const SERVICE_TOKEN_PREFIX = 'portal_svc_';
const DAY_S = 86_400;
/** Of a token for which nobody said how long. */
const LIFETIME_S = 90 * DAY_S;
export const SERVICE_TOKEN_LONGEST_S = 366 * DAY_S;
/** A use is written down at most this often, so that a busy token costs no write per request. */
const NOTED_EVERY_MS = 60_000;

export interface NewServiceToken {
  readonly name: string;
  /** Names or ids. `portal.admin.access` is always part of them: without it no admin route answers. */
  readonly permissions: References;
  /** Seconds; 90 days by default, 366 at most. */
  readonly expiresIn?: number | undefined;
}

export interface ToldServiceToken {
  readonly token: ServiceTokenRecord;
  /** Told once: only its hash is kept. */
  readonly secret: string;
}

interface ServiceTokenParts extends PermissionChangeParts {
  /** The host's name of the permission to use admin routes at all. */
  readonly adminAccess: string;
}

/**
 * The accounts of machines: tokens that use admin routes with exactly the permissions that they were given, by somebody
 * who holds these (S59). They never bypass a check and cannot do what requires a recent sign-in.
 */
export class ServiceTokens {
  constructor(private readonly parts: ServiceTokenParts) {}

  async list(query: ListQuery): Promise<ListPage<ServiceTokenRecord>> {
    const page = await this.parts.lists.run(serviceTokenList, query);
    return { ...page, items: await withTokenPermissions(this.parts.database, page.items) };
  }

  /** All of them by name, for the command line. */
  async listAll(): Promise<(ServiceTokenRecord & { readonly state: ServiceTokenState })[]> {
    const { database, clock } = this.parts;
    const rows = await serviceTokenRecord.findAll(database, {}, { order: 's.name, s.id' });
    const tokens = await withTokenPermissions(database, rows);
    return tokens.map((token) => ({ ...token, state: stateOfToken(token, clock.now()) }));
  }

  /** @throws NotFoundError */
  find(id: number): Promise<ServiceTokenRecord> {
    return this.require(id);
  }

  /** The one of this name that still works. @throws NotFoundError */
  async findByName(name: string): Promise<ServiceTokenRecord> {
    const { database, clock } = this.parts;
    const rows = await serviceTokenRecord.findAll(database, { name, revokedAt: null }, { order: 's.id DESC' });
    const row = rows.find((one) => stateOfToken(one, clock.now()) === 'active') ?? rows[0];
    if (!row) throw new NotFoundError();
    return this.require(row.id);
  }

  /**
   * The account behind a token; reads the database each time, so that a revoked one is out with the next request on
   * every replica.
   * @returns null for a token that is unknown, expired or revoked
   */
  async authenticate(secret: string): Promise<ServiceTokenRecord | null> {
    const { database, clock } = this.parts;
    if (!secret.startsWith(SERVICE_TOKEN_PREFIX)) return null;
    const row = await serviceTokenRecord.find(database, { tokenHash: hashOf(secret) });
    const now = clock.now();
    if (!row || stateOfToken(row, now) !== 'active') return null;
    const { id, lastUsedAt } = row;
    if (lastUsedAt === null || Math.abs(now.getTime() - lastUsedAt.getTime()) >= NOTED_EVERY_MS) {
      await serviceTokenRecord.update(database, { id }, { lastUsedAt: now });
    }
    return { ...row, permissions: [] };
  }

  /** @throws ForbiddenError for what `by` does not hold (S59), ValidationError on `name`, `permissions` or `expires_in` */
  async create({ name, permissions, expiresIn = LIFETIME_S }: NewServiceToken, by: Granter): Promise<ToldServiceToken> {
    const { database, events, clock, rbac, adminAccess } = this.parts;
    if (cleanName(name, 100) !== name)
      throw new ValidationError({ name: ['name must have 1 to 100 visible characters'] });
    requireLifetime(expiresIn);
    const secret = newSecret();
    const token = await changePermissions(this.parts, 'service token', async (transaction) => {
      const now = clock.now();
      const expiresAt = addSeconds(now, expiresIn);
      await this.refuseTakenName(name, now, transaction);
      const known = await permissionRecord.findAll(database, {}, { transaction, order: 'p.name' });
      const wanted = chooseKnown('permissions', 'permission', [...permissions, adminAccess], known);
      await rbac.rules.requireHeld(by, names(wanted), transaction);
      const createdBy = by === 'operator' ? null : by.id;
      const values = { name, createdBy, expiresAt, createdAt: now, updatedAt: now };
      const id = await serviceTokenRecord.insert(database, { ...values, ...toStoredToken(secret) }, transaction);
      await changeJoinRows(database, PERMISSIONS_OF_TOKEN, id, { added: wanted.map((one) => one.id) }, transaction);
      const made = await this.require(id, transaction);
      await events.emit(new ServiceTokenCreatedEvent({ token: made, occurredAt: now }), transaction);
      return made;
    });
    return { token, secret };
  }

  /**
   * Gives the account another token; the earlier one is out at once.
   * @throws NotFoundError, ForbiddenError for one that holds more than `by` (S59), ConflictError for one that ended
   */
  async rotate(id: number, by: Granter): Promise<ToldServiceToken> {
    const { database, events, clock, rbac } = this.parts;
    const secret = newSecret();
    const token = await changePermissions(this.parts, 'service token', async (transaction) => {
      const now = clock.now();
      const row = await lockRecord(serviceTokenRecord, database, id, undefined, transaction);
      const before = await this.require(id, transaction);
      await rbac.rules.requireHeld(by, before.permissions, transaction);
      if (stateOfToken(before, now) !== 'active') {
        throw new ConflictError({ errors: { token: ['The token has ended. Create another one.'] } });
      }
      const values = { ...toStoredToken(secret), updatedAt: nextVersion(now, row) };
      await serviceTokenRecord.update(database, { id }, values, transaction);
      const after = await this.require(id, transaction);
      await events.emit(new ServiceTokenRotatedEvent({ token: after, occurredAt: now }), transaction);
      return after;
    });
    return { token, secret };
  }

  /** Ends a token for good; one that was revoked stays as it is. @throws NotFoundError, PreconditionFailedError */
  async revoke(id: number, expected?: ExpectedVersion): Promise<ServiceTokenRecord> {
    const { database, events, clock } = this.parts;
    return changePermissions(this.parts, 'service token', async (transaction) => {
      const now = clock.now();
      const before = await lockRecord(serviceTokenRecord, database, id, expected, transaction);
      if (before.revokedAt !== null) return this.require(id, transaction);
      const values = { revokedAt: now, updatedAt: nextVersion(now, before) };
      await serviceTokenRecord.update(database, { id }, values, transaction);
      const token = await this.require(id, transaction);
      await events.emit(new ServiceTokenRevokedEvent({ token, occurredAt: now }), transaction);
      return token;
    });
  }

  private async refuseTakenName(name: string, now: Date, transaction: Transaction): Promise<void> {
    const { database } = this.parts;
    const where = { name, revokedAt: null, [Op.or]: [{ expiresAt: null }, { expiresAt: { [Op.gt]: now } }] };
    if (!(await serviceTokenRecord.has(database, where, transaction))) return;
    throw new ValidationError({ name: ['Another service token that works has this name.'] });
  }

  private async require(id: number, transaction?: Transaction): Promise<ServiceTokenRecord> {
    const { database } = this.parts;
    const row = await serviceTokenRecord.require(database, { id }, { transaction });
    const [token] = await withTokenPermissions(database, [row], transaction);
    return token ?? { ...row, permissions: [] };
  }
}

function newSecret(): string {
  return SERVICE_TOKEN_PREFIX + randomBytes(32).toString('base64url');
}

function toStoredToken(secret: string): { readonly tokenHash: string; readonly ending: string } {
  return { tokenHash: hashOf(secret), ending: secret.slice(-4) };
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** @throws ValidationError */
function requireLifetime(seconds: number): void {
  if (Number.isSafeInteger(seconds) && seconds >= 60 && seconds <= SERVICE_TOKEN_LONGEST_S) return;
  throw new ValidationError({ expires_in: ['expires_in must be a minute to 366 days, in seconds'] });
}
