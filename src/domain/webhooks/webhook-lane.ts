import { randomUUID } from 'node:crypto';
import { addSeconds, type Clock } from '../../core/index.js';
import type { Database } from '../../database/index.js';
import { endpointRecord, type WebhookEndpoint } from './webhook.js';
import { CLAIM_S, findDue, findDueInOrder, isFree } from './webhook-queries.js';

const BATCH = 50;
/** Requests at once to one endpoint that does not say how many. */
const AT_ONCE = 4;
/** How often messages of an endpoint with a rate are sent: as often as the job runs that sends them. */
const BURST_S = 5;

type Terms = Pick<WebhookEndpoint, 'atOnce' | 'rate' | 'isOrdered'>;

interface LaneParts {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * The way to one endpoint, by its terms. Where those say how many at once or in a minute, they hold for all replicas
 * together: the lane is held by one of them, and taken over a minute after that one crashed.
 */
export class WebhookLane {
  private readonly holder = randomUUID();
  private sent = 0;

  private constructor(
    private readonly parts: LaneParts,
    private readonly endpointId: number,
    private readonly terms: Terms,
  ) {}

  /** @returns null where another process has the lane, or the endpoint is told of nothing now */
  static async open(parts: LaneParts, endpointId: number): Promise<WebhookLane | null> {
    const active = { id: endpointId, status: 'active' } as const;
    const only = ['atOnce', 'rate', 'isOrdered'] as const;
    const terms = await endpointRecord.find(parts.database, active, { only });
    if (!terms) return null;
    const lane = new WebhookLane(parts, endpointId, terms);
    if (!lane.isShared) return lane;
    const { database, clock } = parts;
    const free = { ...active, laneUntil: isFree(clock.now()) };
    return (await endpointRecord.update(database, free, lane.lease())) === 0 ? null : lane;
  }

  /** Ids of what is to be sent next, in groups of those that may be under way together. */
  async next(): Promise<number[][]> {
    const { database, clock } = this.parts;
    const { atOnce, isOrdered } = this.terms;
    const limit = Math.min(BATCH, this.left);
    const find = isOrdered ? findDueInOrder : findDue;
    const due = limit === 0 ? [] : await find(database, this.endpointId, clock.now(), limit);
    const size = atOnce ?? AT_ONCE;
    return Array.from({ length: Math.ceil(due.length / size) }, (_, index) =>
      due.slice(index * size, (index + 1) * size),
    );
  }

  /** Before each group. @returns false when another process took the lane over */
  async goOn(group: readonly number[]): Promise<boolean> {
    this.sent += group.length;
    if (!this.isShared) return true;
    const held = { id: this.endpointId, lane: this.holder };
    return (await endpointRecord.update(this.parts.database, held, this.lease())) > 0;
  }

  /** Lets the next one in; where the burst is used up, not before it is time for another. */
  async close(): Promise<void> {
    if (!this.isShared) return;
    const { database, clock } = this.parts;
    const { rate } = this.terms;
    const pause = rate !== null && this.sent > 0 ? { resumeAt: addSeconds(clock.now(), (this.sent * 60) / rate) } : {};
    const held = { id: this.endpointId, lane: this.holder };
    // A receiver that is busy may have asked for a longer pause.
    const { resumeAt } = (await endpointRecord.find(database, held, { only: ['resumeAt'] })) ?? { resumeAt: null };
    const isLonger = resumeAt !== null && pause.resumeAt !== undefined && resumeAt > pause.resumeAt;
    await endpointRecord.update(database, held, { lane: null, laneUntil: null, ...(!isLonger && pause) });
  }

  private get isShared(): boolean {
    return this.terms.atOnce !== null || this.terms.rate !== null;
  }

  /** How many more may be sent in this burst. */
  private get left(): number {
    const { rate } = this.terms;
    if (rate === null) return Infinity;
    return Math.max(0, Math.max(1, Math.floor((rate * BURST_S) / 60)) - this.sent);
  }

  private lease() {
    return { lane: this.holder, laneUntil: addSeconds(this.parts.clock.now(), CLAIM_S) };
  }
}
