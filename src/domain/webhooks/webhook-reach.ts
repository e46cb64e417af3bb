import { Op, type Database, type Transaction } from '../../database/index.js';
import { endpointRecord, type WebhookEndpoint } from './webhook.js';
import { thingsOf, type WebhookBody } from './webhook-catalog.js';

/** Knows to which audiences the things belong that events are about, as {@link thingsOf} names them. */
export interface ConcernedAudiences {
  concerned(things: readonly string[], transaction: Transaction): Promise<ReadonlyMap<string, readonly number[]>>;
}

interface ReachParts {
  readonly database: Database;
  readonly audiences: ConcernedAudiences;
}

type Choosing = Pick<WebhookEndpoint, 'audiences'>;

/** A message with the ids of the audiences that it concerned when it was written down; null: nobody asked. */
interface Concerning {
  readonly whole: WebhookBody;
  readonly audiences: readonly number[] | null;
}

/** Types of events after which what they are about is gone. */
const ENDS = /\.deleted$/;
/** For one statement. */
const BATCH = 500;

/** Finds the audiences that events concern. The database is asked only while an endpoint hears of some audiences alone. */
export class WebhookReach {
  constructor(private readonly parts: ReachParts) {}

  /** Of what will belong to no audience at the end of its transaction; null for all else, and where no endpoint asks. */
  async beforeEnd(body: WebhookBody, transaction: Transaction): Promise<readonly number[] | null> {
    if (!ENDS.test(body.type)) return null;
    const choosing = { ownerId: null, audiences: { [Op.ne]: null } };
    if (!(await endpointRecord.has(this.parts.database, choosing, transaction))) return null;
    const things = thingsOf(body);
    return idsOf(things, await this.parts.audiences.concerned(things, transaction));
  }

  /** @returns null for each message where none of the endpoints asks */
  async of(
    endpoints: readonly Choosing[],
    messages: readonly Concerning[],
    transaction: Transaction,
  ): Promise<(message: Concerning) => readonly number[] | null> {
    if (endpoints.every(({ audiences }) => audiences === null)) return ({ audiences }) => audiences;
    const unknown = messages.filter(({ audiences }) => audiences === null).flatMap(({ whole }) => thingsOf(whole));
    const found = new Map<string, readonly number[]>();
    for (let first = 0; first < unknown.length; first += BATCH) {
      const part = await this.parts.audiences.concerned(unknown.slice(first, first + BATCH), transaction);
      for (const [thing, ids] of part) found.set(thing, ids);
    }
    return ({ whole, audiences }) => audiences ?? idsOf(thingsOf(whole), found);
  }
}

function idsOf(things: readonly string[], found: ReadonlyMap<string, readonly number[]>): number[] {
  return [...new Set(things.flatMap((thing) => found.get(thing) ?? []))];
}

/** Whether one of the audiences that an endpoint hears of is concerned, or it hears of everything. */
export function isReached({ audiences }: Choosing, concerned: readonly number[] | null): boolean {
  return audiences === null || audiences.some((id) => concerned?.includes(id) === true);
}
