import { Op, type Database, type Transaction } from '../../database/index.js';
import { NotFoundError } from '../../core/index.js';
import { fullName, userRecord } from '../accounts/index.js';
import { endpointRecord, type EndpointStatus, type WebhookEndpoint } from './webhook.js';
import type { WebhookService } from './webhook-service.js';

/** Maximum time that two secrets of an endpoint sign, in seconds. */
const MOST_OVERLAP_S = 7 * 86_400;
const USUAL_OVERLAP_S = 86_400;

/** An endpoint that is on, from the view of a member who leaves or has left. */
export interface KnownWebhook {
  readonly id: number;
  /** Host of its address; the rest is often a secret. */
  readonly host: string;
  readonly status: EndpointStatus;
  /** Name of the developer who set its address; null for a deleted account, and for older endpoints. */
  readonly madeBy: string | null;
  /** Whether they set its address, to which events are sent. */
  readonly isTheirs: boolean;
  /** Whether they saw its secret; `unknown` for older endpoints if their role shows secrets. */
  readonly secret: 'seen' | 'unseen' | 'unknown';
}

/** A replaced secret, shown this once. */
export interface FreshSecret {
  readonly id: number;
  readonly host: string;
  readonly secret: string;
}

/** A member who leaves, or may leave. */
export interface WebhookKnower {
  readonly userId: number;
  /** Whether their role shows secrets: they may have seen those of older endpoints. */
  readonly maySee: boolean;
}

interface SightParts {
  readonly database: Database;
  readonly endpoints: Pick<WebhookService, 'find' | 'rotate' | 'update'>;
}

/** Who made endpoints and knows their secrets, and so what to replace or turn off when a member leaves. */
export class WebhookSights {
  constructor(private readonly parts: SightParts) {}

  /** Endpoints of a team that a member made or whose secret they know. @param ownerId account of the team */
  knownTo(ownerId: number, { userId, maySee }: WebhookKnower, transaction?: Transaction): Promise<KnownWebhook[]> {
    return this.read(ownerId, (id) => id === userId, maySee, transaction);
  }

  /** Endpoints that a former member made or whose secret they know. */
  knownOutside(ownerId: number, memberIds: ReadonlySet<number>): Promise<KnownWebhook[]> {
    return this.read(ownerId, (id) => !memberIds.has(id), false);
  }

  /** Turns off endpoints whose address the leaving member set. */
  async turnOff(ownerId: number, knower: WebhookKnower): Promise<void> {
    const { endpoints } = this.parts;
    const theirs = (await this.knownTo(ownerId, knower)).filter(({ isTheirs }) => isTheirs);
    await this.each(ownerId, theirs, (endpoint) => endpoints.update(endpoint, { isEnabled: false }));
  }

  /**
   * Replaces the secrets that the leaving member knows.
   * @param overlap seconds for which the earlier ones sign too, a week at most; by default a day
   * @param seerId who is told the new ones; nothing is replaced if it is the leaving member
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

  // An endpoint that was deleted meanwhile is left out.
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

  // An endpoint that is off sends nothing and must be verified before it does again.
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
