import { defineRecord, fieldOf, type Database, type Transaction } from '../../database/index.js';
import type { Clock, EventBus } from '../../core/index.js';
import { fullName, userRecord } from '../accounts/index.js';
import {
  appRecord,
  credentialRecord,
  credentialStatus,
  CredentialCreatedEvent,
  CredentialRevealedEvent,
  type Initiator,
} from '../apps/index.js';
import { memberRecord, type TeamRecord } from './team.js';

const sightRecord = defineRecord({
  name: 'KeySight',
  table: 'portal_key_sights',
  alias: 'ks',
  fields: {
    id: fieldOf.id(),
    credentialId: fieldOf.reference(),
    /** null: the account is gone. */
    userId: fieldOf.reference().nullable(),
    seenAt: fieldOf.time(),
  },
});

/** A live key of an app, with the people who have seen it in full. */
export interface SeenKey {
  readonly id: number;
  readonly keyHint: string;
  readonly app: { readonly name: string; readonly displayName: string };
  /** Names in the order in which they saw it; null for a deleted account. */
  readonly seenBy: readonly (string | null)[];
}

interface SightParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
}

/** Who has seen which key, and so which keys to replace when a member leaves. */
export class KeySights {
  constructor(private readonly parts: SightParts) {}

  /** Records that a key was shown in full: to the person who made or rotated it, or asked to see it again. */
  listen(): void {
    const { events } = this.parts;
    // A rotation makes a key, too.
    events.within(CredentialCreatedEvent, ({ credential, by }, transaction) =>
      this.note(credential.id, by, transaction),
    );
    events.within(CredentialRevealedEvent, ({ credential, by }, transaction) =>
      this.note(credential.id, by, transaction),
    );
  }

  /** Live keys of the team's apps that somebody has seen, by app. */
  async seenBy(team: Pick<TeamRecord, 'accountId'>, userId: number, transaction?: Transaction): Promise<SeenKey[]> {
    return this.read(team, (seer) => seer === userId, transaction);
  }

  /** Live keys of the team's apps that a former member has seen, by app. */
  async exposed(team: Pick<TeamRecord, 'id' | 'accountId'>): Promise<SeenKey[]> {
    const { database } = this.parts;
    const members = await memberRecord.findAll(database, { teamId: team.id }, { only: ['userId'] });
    const ids = new Set(members.map(({ userId }) => userId));
    return this.read(team, (seer) => seer === null || !ids.has(seer));
  }

  /** Live keys of a developer's own apps that somebody else has seen, in a team that had the app before; all apps without `appId`. */
  async exposedOf(userId: number, appId?: number): Promise<SeenKey[]> {
    return this.read({ accountId: userId, appId }, (seer) => seer !== userId);
  }

  // A replaced key ends by itself.
  private async read(
    { accountId, appId: only }: Pick<TeamRecord, 'accountId'> & { readonly appId?: number | undefined },
    isMeant: (userId: number | null) => boolean,
    transaction?: Transaction,
  ): Promise<SeenKey[]> {
    const { database, clock } = this.parts;
    const owned = { userId: accountId, ...(only !== undefined && { id: only }) };
    const apps = await appRecord.findAll(database, owned, { transaction, order: 'a.name_key' });
    const where = { appId: apps.map(({ id }) => id), replacedBy: null };
    const now = clock.now();
    const keys = (await credentialRecord.findAll(database, where, { transaction, order: 'c.id' })).filter(
      (key) => !['revoked', 'expired'].includes(credentialStatus(key, now)),
    );
    const noted = await sightRecord.findAll(
      database,
      { credentialId: keys.map(({ id }) => id) },
      { transaction, order: 'ks.id' },
    );
    const meant = noted.filter(({ userId }) => isMeant(userId));
    const userIds = [...new Set(meant.flatMap(({ userId }) => userId ?? []))];
    const users = await userRecord.findAll(database, { id: userIds }, { transaction });
    const names = new Map(users.map((user) => [user.id, fullName(user) || user.email]));
    return apps.flatMap(({ id: appId, name, displayName }) =>
      keys.flatMap(({ id, keyHint, appId: own }) => {
        const seers = own === appId ? meant.filter(({ credentialId }) => credentialId === id) : [];
        if (seers.length === 0) return [];
        const seenBy = seers.map(({ userId }) => (userId === null ? null : (names.get(userId) ?? null)));
        return [{ id, keyHint, app: { name, displayName }, seenBy: [...new Set(seenBy)] }];
      }),
    );
  }

  private async note(credentialId: number, { type, id }: Initiator, transaction: Transaction): Promise<void> {
    const { database, clock } = this.parts;
    if (type !== 'developer') return;
    const sight = { credentialId, userId: id };
    if (await sightRecord.has(database, sight, transaction)) return;
    await sightRecord.insert(database, { ...sight, seenAt: clock.now() }, transaction);
  }
}
