import { Op, type Database, type Transaction } from '../../database/index.js';
import { NotFoundError } from '../../core/index.js';
import { fullName, userRecord } from '../accounts/index.js';
import { endpointRecord, type EndpointStatus, type WebhookEndpoint } from './webhook.js';
import type { WebhookService } from './webhook-service.js';

/** Two secrets of an endpoint sign for no longer, in seconds. */
const MOST_OVERLAP_S = 7 * 86_400;
const USUAL_OVERLAP_S = 86_400;

/** An endpoint that is not turned off, as far as it concerns somebody who goes, or who has gone. */
export interface KnownWebhook {
  readonly id: number;
  /** Of its address: the rest is often a secret. */
  readonly host: string;
  readonly status: EndpointStatus;
  /** Name of who gave it its address; null: an account that is gone, or from before this was noted. */
  readonly madeBy: string | null;
  /** They gave it its address, which is told of the events. */
  readonly isTheirs: boolean;
  /** Whether they were told its secret; `unknown`: from before this was noted, and their role shows secrets. */
  readonly secret: 'seen' | 'unseen' | 'unknown';
}

/** A secret that was replaced, told this once. */
export interface FreshSecret {
  readonly id: number;
  readonly host: string;
  readonly secret: string;
}

/** Somebody who goes, or may go. */
export interface WebhookKnower {
  readonly userId: number;
  /** Whether their role shows secrets: where nobody noted who saw one, they may have. */
  readonly maySee: boolean;
}

interface SightParts {
  readonly database: Database;
  readonly endpoints: Pick<WebhookService, 'find' | 'rotate' | 'update'>;
}

/** Who made endpoints and knows their secrets: what has to be replaced or turned off when somebody goes. */
export class WebhookSights {
  constructor(private readonly parts: SightParts) {}

  /** Endpoints of a team that somebody made or whose secret they know. @param ownerId account of the team */
  knownTo(ownerId: number, { userId, maySee }: WebhookKnower, transaction?: Transaction): Promise<KnownWebhook[]> {
    return this.read(ownerId, (id) => id === userId, maySee, transaction);
  }

  /** Those that somebody made, or knows the secret of, who is not among the members of the team. */
  knownOutside(ownerId: number, memberIds: ReadonlySet<number>): Promise<KnownWebhook[]> {
    return this.read(ownerId, (id) => !memberIds.has(id), false);
  }

  /** Turns off those whose address is of who goes. */
  async turnOff(ownerId: number, knower: WebhookKnower): Promise<void> {
    const { endpoints } = this.parts;
    const theirs = (await this.knownTo(ownerId, knower)).filter(({ isTheirs }) => isTheirs);
    await this.each(ownerId, theirs, (endpoint) => endpoints.update(endpoint, { isEnabled: false }));
  }

  /**
   * Replaces the secrets that who goes knows.
   * @param overlap seconds for which the earlier ones sign too, a week at most; by default a day
   * @param seerId who is told the new ones: nobody who goes, for whom none is replaced
   */
  async replace(
    ownerId: number,
    knower: WebhookKnower,
    { overlap = USUAL_OVERLAP_S, seerId }: { readonly overlap?: number | undefined; readonly seerId: number },
  ): Promise<FreshSecret[]> {
    const { endpoints } = this.parts;
    const fresh: FreshSecret[] = [];
    if (seerId === knower.userId) return fresh;
    const known = (await this.knownTo(ownerId, knower)).filter(({ secret }) => secret !== 'unseen');
    await this.each(ownerId, known, async (endpoint) => {
      const { secret } = await endpoints.rotate(endpoint, Math.min(overlap, MOST_OVERLAP_S), seerId);
      fresh.push({ id: endpoint.id, host: hostOf(endpoint), secret });
    });
    return fresh;
  }

  // One that is deleted meanwhile is left out.
  private async each(
    ownerId: number,
    known: readonly KnownWebhook[],
    act: (endpoint: WebhookEndpoint) => Promise<unknown>,
  ) {
    for (const { id } of known) {
      try {
        await act(await this.parts.endpoints.find(id, ownerId));
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
      }
    }
  }

  // What is turned off tells nobody anything, and is verified before it does again.
  private async read(
    ownerId: number,
    isMeant: (userId: number) => boolean,
    countsUnknown: boolean,
    transaction?: Transaction,
  ): Promise<KnownWebhook[]> {
    const { database } = this.parts;
    const where = { ownerId, status: { [Op.ne]: 'disabled' } } as const;
    const options = { with: ['makerId', 'seerId'], order: 'e.id', transaction } as const;
    const noted = await endpointRecord.findAll(database, where, options);
    const makerIds = [...new Set(noted.flatMap(({ makerId }) => makerId ?? []))];
    const makers = await userRecord.findAll(database, { id: makerIds }, { transaction });
    const names = new Map(makers.map((user) => [user.id, fullName(user) || user.email]));
    return noted.flatMap(({ id, url, status, makerId, seerId }) => {
      const isTheirs = makerId !== null && isMeant(makerId);
      const secret = sightOf(seerId, isMeant, countsUnknown);
      if (!isTheirs && secret === 'unseen') return [];
      const madeBy = makerId === null ? null : (names.get(makerId) ?? null);
      return [{ id, host: hostOf({ url }), status, madeBy, isTheirs, secret }];
    });
  }
}

function sightOf(seerId: number | null, isMeant: (userId: number) => boolean, countsUnknown: boolean) {
  if (seerId === null) return countsUnknown ? 'unknown' : 'unseen';
  return isMeant(seerId) ? 'seen' : 'unseen';
}

function hostOf({ url }: Pick<WebhookEndpoint, 'url'>): string {
  return new URL(url).host;
}
