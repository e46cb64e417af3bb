import type { Clock, Encrypter } from '../../core/index.js';
import { OutboundError, type OutboundFetcher } from '../../outbound/index.js';
import { secretContext } from './webhook.js';
import { signedText, signWithSecret, type PortalSignatures } from './webhook-signing.js';

const DEADLINE_MS = 15_000;
const MOST_ANSWER = 2_048;

/** Address of a message, and the secrets that sign it. */
export interface WebhookTarget {
  readonly uuid: string;
  readonly url: string;
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousUntil: Date | null;
}

/** Result of a request. */
export interface WebhookAnswer {
  /** null: no answer. */
  readonly status: number | null;
  readonly failure: string | null;
  /** The first 2 kB; null when the host is not public. */
  readonly answer: string | null;
  /** The first 2 kB, whatever the host. */
  readonly body: string;
  /** `Retry-After`. */
  readonly retryAfter: string | null;
  /** Milliseconds. */
  readonly duration: number;
}

interface SenderParts {
  readonly clock: Clock;
  readonly encrypter: Encrypter;
  readonly outbound: OutboundFetcher;
  readonly signatures: PortalSignatures;
}

/** Sends signed messages by the rules for addresses that somebody typed (S63). */
export class WebhookSender {
  private readonly outbound: OutboundFetcher;

  constructor(private readonly parts: SenderParts) {
    this.outbound = parts.outbound.withDeadline(DEADLINE_MS);
  }

  /** @param id of the message, the same in every attempt */
  async send(target: WebhookTarget, id: string, body: string): Promise<WebhookAnswer> {
    const started = performance.now();
    const rest = { answer: null, body: '', retryAfter: null };
    const duration = () => Math.round(performance.now() - started);
    try {
      const request = { method: 'POST', headers: this.headersOf(target, id, body), body };
      const found = await this.outbound.request(target.url, { ...request, maxBytes: MOST_ANSWER, isCut: true });
      const text = found.body.toString('utf8').replaceAll('\u0000', '');
      const retryAfter = found.headers['retry-after'] ?? null;
      const answer = found.isPublic ? text : null;
      return { status: found.status, failure: null, answer, body: text, retryAfter, duration: duration() };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      // Refused and unreachable look the same to whoever typed the address.
      const failure = error.failure === 'too-slow' ? 'too-slow' : 'unreachable';
      return { ...rest, status: null, failure, duration: duration() };
    }
  }

  private headersOf({ uuid, ...target }: WebhookTarget, id: string, body: string): Record<string, string> {
    const { clock, encrypter, signatures } = this.parts;
    const now = clock.now();
    const timestamp = Math.floor(now.getTime() / 1000);
    const text = signedText(id, timestamp, body);
    const isOverlap = target.previousUntil !== null && target.previousUntil > now;
    const sealed = [target.secret, ...(isOverlap && target.previousSecret !== null ? [target.previousSecret] : [])];
    const own = sealed.map((secret) => signWithSecret(encrypter.decrypt(secret, secretContext(uuid)), text));
    return {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': [...own, ...signatures.sign(text)].join(' '),
    };
  }
}
