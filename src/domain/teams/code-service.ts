import { timingSafeEqual } from 'node:crypto';
import { lockRecord } from '../../database/index.js';
import { addSeconds, currentActorContext, NotFoundError, nextVersion, ValidationError } from '../../core/index.js';
import type { ListPage, ListQuery } from '../../core/index.js';
import { cleanName, userRecord, type UserRecord } from '../accounts/index.js';
import type { RequestLimits } from '../auth/index.js';
import { TeamCodeCreatedEvent, TeamCodeRevokedEvent, TeamCodeUsedEvent } from './events.js';
import { codeList, codeRecord, codeState, hashOfCode, newTeamCode, type TeamCode } from './joining.js';
import type { MemberService } from './member-service.js';
import { OWNER } from './roles.js';
import { memberRecord, teamRecord, type TeamRecord } from './team.js';
import type { TeamParts } from './team-service.js';

interface CodeParts extends TeamParts {
  readonly members: MemberService;
  readonly limits: Pick<RequestLimits, 'countTeamCodes'>;
}

export interface TeamCodeInput {
  readonly name: string;
  readonly role: string;
  readonly maxUses: number;
  /** Seconds. */
  readonly expiresIn: number;
}

/** Codes that admins hand out: each lets so many developers into one team until a day. Of a code only its hash is kept. */
export class CodeService {
  constructor(private readonly parts: CodeParts) {}

  /** @throws ValidationError for a query that the list does not support */
  list({ id }: Pick<TeamRecord, 'id'>, query: ListQuery): Promise<ListPage<TeamCode>> {
    return this.parts.lists.run(codeList, query, { scope: { where: 'tk.team_id = ?', values: [id] } });
  }

  /** @throws NotFoundError, also for a code of another team */
  find({ id: teamId }: Pick<TeamRecord, 'id'>, id: number): Promise<TeamCode> {
    return codeRecord.require(this.parts.database, { id, teamId });
  }

  /** @returns the code too, this once. @throws ValidationError on `name` and `role` */
  async create(
    team: TeamRecord,
    { name: typed, role, maxUses, expiresIn }: TeamCodeInput,
  ): Promise<{ readonly record: TeamCode; readonly code: string }> {
    const { database, clock, events, roles } = this.parts;
    const name = cleanName(typed);
    if (name === null) {
      throw new ValidationError({ name: ['The name must have 1 to 100 characters and no control characters.'] });
    }
    roles.require(role);
    // Owners are appointed by name, never admitted by a code.
    if (role === OWNER) throw new ValidationError({ role: ['A code makes nobody an owner.'] });
    const code = newTeamCode();
    const now = clock.now();
    return database.transaction(async (transaction) => {
      const stamps = { expiresAt: addSeconds(now, expiresIn), revokedAt: null, createdAt: now, updatedAt: now };
      const values = { teamId: team.id, name, role, codeHash: hashOfCode(code) ?? '', maxUses, uses: 0, ...stamps };
      const id = await codeRecord.insert(database, values, transaction);
      await events.emit(new TeamCodeCreatedEvent({ team, codeId: id, role, occurredAt: now }), transaction);
      return { record: await codeRecord.require(database, { id }, { transaction }), code };
    });
  }

  /** Members who joined by the code stay. Revoking a revoked code changes nothing. @throws NotFoundError */
  async revoke(team: TeamRecord, { id }: Pick<TeamCode, 'id'>): Promise<TeamCode> {
    const { database, clock, events } = this.parts;
    return database.transaction(async (transaction) => {
      const present = await codeRecord.require(database, { id, teamId: team.id }, { transaction, lock: true });
      if (present.revokedAt !== null) return present;
      const now = clock.now();
      await codeRecord.update(database, { id }, { revokedAt: now, updatedAt: nextVersion(now, present) }, transaction);
      const fact = { team, codeId: id, role: present.role, occurredAt: now };
      await events.emit(new TeamCodeRevokedEvent(fact), transaction);
      return codeRecord.require(database, { id }, { transaction });
    });
  }

  /**
   * Takes a developer into the team of a code; one who is in it already uses nothing.
   * @throws ValidationError on `code`, alike for one that never was, is revoked, used up or over, and for a closed team;
   *   TooManyAttemptsError, ConflictError for a full team
   */
  async redeem({ id: userId }: Pick<UserRecord, 'id'>, typed: string): Promise<TeamRecord> {
    const { database, clock, events, members, limits } = this.parts;
    await limits.countTeamCodes(userId, currentActorContext().request?.ip ?? '');
    const known = await this.match(typed);
    return database.transaction(async (transaction) => {
      const user = await userRecord.require(database, { id: userId }, { transaction, lock: true });
      const team = await lockRecord(teamRecord, database, known.teamId, undefined, transaction).catch(refuseMissing);
      const code = await codeRecord
        .require(database, { id: known.id }, { transaction, lock: true })
        .catch(refuseMissing);
      const now = clock.now();
      if (team.status !== 'active' || codeState(code, now) !== 'active') throw unusable();
      if (await memberRecord.has(database, { teamId: team.id, userId }, transaction)) return team;
      await members.add(team, user, code.role, transaction);
      const values = { uses: code.uses + 1, updatedAt: nextVersion(now, code) };
      await codeRecord.update(database, { id: code.id }, values, transaction);
      const fact = { team, codeId: code.id, userId, role: code.role, occurredAt: now };
      await events.emit(new TeamCodeUsedEvent(fact), transaction);
      return team;
    });
  }

  // The hash is looked up, so no time tells how much of a code is right; compared once more in constant time.
  private async match(typed: string): Promise<TeamCode> {
    const hash = hashOfCode(typed);
    const where = { codeHash: hash ?? '' };
    const found = await codeRecord.find(this.parts.database, where, { with: ['codeHash'] });
    if (!hash || !found || !timingSafeEqual(Buffer.from(found.codeHash), Buffer.from(hash))) throw unusable();
    return found;
  }
}

const unusable = () => new ValidationError({ code: ['This code is not valid, or not any more.'] });

function refuseMissing(error: unknown): never {
  throw error instanceof NotFoundError ? unusable() : error;
}
