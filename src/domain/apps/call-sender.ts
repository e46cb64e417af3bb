import type { Database, Transaction } from '../../database/index.js';
import type { LimitStore } from '../../limits/index.js';
import { OutboundError, type OutboundFetcher } from '../../outbound/index.js';
import {
  NotFoundError,
  ServiceUnavailableError,
  TooManyAttemptsError,
  type Clock,
  type EventBus,
} from '../../core/index.js';
import type { UserRecord } from '../accounts/index.js';
import type { DocumentIndex, IndexedScheme, IndexedServer, ProductRecord } from '../catalog/index.js';
import { findUsableKeys } from './app-queries.js';
import type { AppReader } from './app/app-reader.js';
import { ApiTriedEvent } from './events.js';
import type { AppGateway } from './gateway-operations/app-gateway.js';
import {
  addKey,
  parseAllowedAddress,
  pickAllowedHeaders,
  isServer,
  selectShownHeaders,
  withoutKey,
  type TriedCall,
} from './call-rules.js';

export interface TryItSettings {
  /** Empty: nothing is sent. */
  readonly origins: readonly string[];
  readonly maxBytes: number;
  /** Seconds. */
  readonly timeout: number;
  /** For each account. */
  readonly perMinute: number;
}

export interface TriedAnswer {
  readonly code: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Why there is no answer: our rules refused the call, or the API did not answer. */
export type TryItFailure = OutboundError['failure'] | 'no-key';

interface CallSenderParts {
  readonly settings: TryItSettings;
  readonly outbound: OutboundFetcher;
  readonly limits: LimitStore;
  readonly reader: AppReader;
  readonly gateway: AppGateway;
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
}

/** Answers are held in memory: at most so many at a time, in one process. */
const MOST_AT_ONCE = 16;

/**
 * Sends requests to APIs for developers who try them, where an API takes none from web pages. Only to origins that the
 * operator named, by the rules for addresses from outside (S63), without cookies and without following redirects.
 */
export class CallSender {
  private atOnce = 0;
  private readonly outbound: OutboundFetcher;

  constructor(private readonly parts: CallSenderParts) {
    this.outbound = parts.outbound.withDeadline(parts.settings.timeout * 1_000);
  }

  get settings(): TryItSettings {
    return this.parts.settings;
  }

  /**
   * One request and its answer. Every one is recorded, without address, body or key.
   * @param index the document of the product, which says where a key goes
   * @throws TooManyAttemptsError, NotFoundError for a key that does not open the product
   */
  async send(
    user: UserRecord,
    product: ProductRecord,
    index: DocumentIndex | null,
    call: TriedCall,
  ): Promise<TriedAnswer | TryItFailure> {
    const { settings, limits } = this.parts;
    const outcome = await limits.consume(`try-it:${user.id}`, settings.perMinute, 60);
    if (!outcome.granted) throw new TooManyAttemptsError(outcome.retryAfter);
    const address = parseAllowedAddress(call.url, settings.origins);
    const headers = pickAllowedHeaders(call);
    if (!address || !headers || (call.body?.length ?? 0) > settings.maxBytes) return 'refused';
    const { origin } = address;
    const key = call.credential && (await this.keyOf(user, product, call.credential.id));
    if (call.credential && !placeKey(key, index, call.credential.scheme, address, headers)) return 'no-key';
    const answer = await this.ask(address, call, headers);
    await this.record(user, product, { method: call.method, origin, answer });
    return typeof answer === 'string' || key === null ? answer : redact(answer, key);
  }

  private async ask(
    address: URL,
    call: TriedCall,
    headers: Record<string, string>,
  ): Promise<TriedAnswer | TryItFailure> {
    if (this.atOnce >= MOST_AT_ONCE) throw new ServiceUnavailableError(1);
    this.atOnce += 1;
    try {
      const hasBody = call.body !== null && !['GET', 'HEAD'].includes(call.method);
      const {
        status,
        headers: answered,
        body,
      } = await this.outbound.request(address.href, {
        ...{ method: call.method, headers, maxBytes: this.parts.settings.maxBytes },
        ...(hasBody && { body: call.body }),
      });
      return { code: status, headers: selectShownHeaders(answered), body };
    } catch (error) {
      if (error instanceof OutboundError) return error.failure;
      throw error;
    } finally {
      this.atOnce -= 1;
    }
  }

  // Not recorded as shown: it is not.
  private async keyOf(user: UserRecord, product: ProductRecord, id: string): Promise<string> {
    const { reader, gateway, database, clock } = this.parts;
    const usable = await findUsableKeys(database, user.id, product.id, clock.now());
    const chosen = usable.find((one) => String(one.id) === id);
    if (!chosen) throw new NotFoundError();
    const owned = await reader.findCredential(await reader.findApp(user, chosen.app), chosen.id);
    return (await gateway.reveal(owned)).consumerKey;
  }

  private async record(
    user: UserRecord,
    product: ProductRecord,
    { method, origin, answer }: { method: string; origin: string; answer: TriedAnswer | TryItFailure },
  ): Promise<void> {
    const { database, events, clock } = this.parts;
    const outcome = typeof answer === 'string' ? answer : String(answer.code);
    const fact = { product, user, method, origin, outcome, occurredAt: clock.now() };
    await database.transaction((transaction) => events.emit(new ApiTriedEvent(fact), transaction));
  }
}

/** A key goes only to a server of its product's document, and where a scheme of the document says. */
function placeKey(
  key: string | null,
  index: DocumentIndex | null,
  scheme: string,
  address: URL,
  headers: Record<string, string>,
): boolean {
  if (key === null || index === null) return false;
  const { schemes, servers } = JSON.parse(index.index.toString()) as {
    readonly schemes: readonly IndexedScheme[];
    readonly servers: readonly IndexedServer[];
  };
  const found = schemes.find(({ name }) => name === scheme);
  return found !== undefined && isServer(address.origin, servers) && addKey(key, found, address, headers);
}

function redact({ code, headers, body }: TriedAnswer, key: string): TriedAnswer {
  const shown = headers.map(([name, value]) => [name, value.replaceAll(key, '****')] as const);
  return { code, headers: shown, body: withoutKey(body, key) };
}
