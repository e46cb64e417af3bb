import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { changeRecord, lockRecord, Op, type Transaction } from '../../database/index.js';
import {
  addSeconds,
  ConflictError,
  TooManyAttemptsError,
  ValidationError,
  type Clock,
  type Encrypter,
  type EventBus,
  type ExpectedVersion,
} from '../../core/index.js';
import type { UserAudiences } from '../catalog/index.js';
import {
  WebhookCreatedEvent,
  WebhookDeletedEvent,
  WebhookResentEvent,
  WebhookSecretRotatedEvent,
  WebhookUpdatedEvent,
  WebhookVerifiedEvent,
} from './events.js';
import {
  endpointRecord,
  secretContext,
  webhookDeliveryRecord,
  type WebhookDelivery,
  type WebhookEndpoint,
} from './webhook.js';
import { EXAMPLE_DETAILS, exampleOf } from './webhook-catalog.js';
import { requireInput, requireSpan, unknownEvent, type WebhookInput } from './webhook-input.js';
import type { Since, WebhookOutbox } from './webhook-outbox.js';
import { WebhookReader, type WebhookOwner, type WebhookReaderParts } from './webhook-reader.js';
import type { WebhookSender } from './webhook-sender.js';
import { newWebhookSecret } from './webhook-signing.js';

const MOST_OF_DEVELOPER = 10;
const MOST_OF_OPERATOR = 50;
const BETWEEN_CHALLENGES_S = 10;

interface WebhookServiceParts extends WebhookReaderParts {
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly encrypter: Encrypter;
  readonly audiences: Pick<UserAudiences, 'named' | 'require'>;
  readonly outbox: WebhookOutbox;
  readonly sender: WebhookSender;
}

/** Endpoints that are told of events: of the operator, of all; of a developer, of those about their own apps. */
export class WebhookService extends WebhookReader {
  constructor(protected override readonly parts: WebhookServiceParts) {
    super(parts);
  }

  /** @throws ConflictError for an audience of which an endpoint hears: without it, it would hear of nothing */
  async requireUnheard(audienceId: number, transaction: Transaction): Promise<void> {
    const { database } = this.parts;
    const choosing = { ownerId: null, audiences: { [Op.ne]: null } };
    const endpoints = await endpointRecord.findAll(database, choosing, { only: ['audiences'], transaction });
    if (!endpoints.some(({ audiences }) => audiences?.includes(audienceId))) return;
    throw new ConflictError({ errors: { webhooks: ['Webhooks are for this audience. Change those first.'] } });
  }

  /**
   * Adds an endpoint, which gets nothing before it is verified.
   * @param makerId the developer who adds it and is told its secret
   * @returns its secret too, which nobody can read again
   * @throws ValidationError for events and audiences that do not exist, ConflictError for too many endpoints
   */
  async create(
    input: WebhookInput & { readonly url: string; readonly events: readonly string[] },
    ownerId: WebhookOwner,
    createdBy: number | null,
    makerId: number | null = null,
  ): Promise<{ readonly endpoint: WebhookEndpoint; readonly secret: string }> {
    const { database, events, clock, encrypter } = this.parts;
    requireInput(input, this.types(ownerId));
    const { url, description = '', events: patterns } = input;
    const uuid = randomUUID();
    const secret = newWebhookSecret();
    const sealed = encrypter.encrypt(secret, secretContext(uuid));
    const endpoint = await database.transaction(async (transaction) => {
      const most = ownerId === null ? MOST_OF_OPERATOR : MOST_OF_DEVELOPER;
      if ((await endpointRecord.count(database, { ownerId }, transaction)) >= most) {
        throw new ConflictError({ errors: { url: [`There are at most ${most} endpoints.`] } });
      }
      const now = clock.now();
      const audiences = await this.audienceIds(input, ownerId, transaction);
      const people = { createdBy, makerId, seerId: makerId };
      const values = { uuid, ownerId, ...people, url, description, audiences, events: [...patterns], secret: sealed };
      const state = { ...termsOf(input), status: 'unverified', createdAt: now, updatedAt: now } as const;
      const id = await endpointRecord.insert(database, { ...values, ...state }, transaction);
      const made = await endpointRecord.require(database, { id }, { transaction });
      await events.emit(new WebhookCreatedEvent({ endpoint: made, occurredAt: now }), transaction);
      return made;
    });
    return { endpoint, secret };
  }

  /**
   * Changes only what is given; another address has to be verified anew.
   * @param makerId the developer who changes it: another address is theirs
   * @throws NotFoundError, ValidationError, PreconditionFailedError
   */
  async update(
    { id, ownerId }: WebhookEndpoint,
    input: WebhookInput,
    expected?: ExpectedVersion,
    makerId: number | null = null,
  ): Promise<WebhookEndpoint> {
    const { database } = this.parts;
    requireInput(input, this.types(ownerId));
    const { url, description, events: patterns, isEnabled } = input;
    return database.transaction((transaction) =>
      changeRecord(endpointRecord, this.parts, transaction, {
        ...{ id, expected },
        plan: async (before) => {
          const audiences = await this.audienceIds(input, ownerId, transaction);
          const isMoved = url !== undefined && url !== before.url;
          if (isEnabled === true && before.status === 'disabled') throw needsVerification();
          // Beside the change, which tells of nobody.
          if (isMoved) await endpointRecord.update(database, { id }, { makerId }, transaction);
          const moved = isMoved && ({ status: 'unverified', disabledReason: null } as const);
          const off = isEnabled === false && ({ status: 'disabled', disabledReason: 'owner' } as const);
          return { values: { url, description, events: patterns, audiences, ...termsOf(input), ...moved, ...off } };
        },
        read: () => endpointRecord.require(database, { id }, { transaction }),
        announce: (endpoint, changes, occurredAt) => [new WebhookUpdatedEvent({ endpoint, changes, occurredAt })],
      }),
    );
  }

  /** @throws NotFoundError, PreconditionFailedError */
  async delete({ id }: WebhookEndpoint, expected?: ExpectedVersion): Promise<void> {
    const { database, events, clock } = this.parts;
    await database.transaction(async (transaction) => {
      const endpoint = await lockRecord(endpointRecord, database, id, expected, transaction);
      await endpointRecord.remove(database, { id }, transaction);
      await events.emit(new WebhookDeletedEvent({ endpoint, occurredAt: clock.now() }), transaction);
    });
  }

  /**
   * Sends a challenge; an endpoint that echoes it gets events from now on.
   * @throws ValidationError on `url` for one that does not, TooManyAttemptsError within ten seconds of the last time
   */
  async verify({ id }: WebhookEndpoint): Promise<WebhookEndpoint> {
    const { database, events, clock, sender } = this.parts;
    const target = await this.beginChallenge(id);
    const challenge = randomBytes(24).toString('base64url');
    const message = { type: 'webhook.challenge', timestamp: clock.now().toISOString(), data: { challenge } };
    const webhookId = `msg_${randomUUID().replaceAll('-', '')}`;
    const { status, body } = await sender.send(target, webhookId, JSON.stringify(message));
    const isEchoed = status !== null && status >= 200 && status < 300 && isEcho(body, challenge);
    if (status === null) throw new ValidationError({ url: ['URL not allowed or not reachable.'] });
    if (!isEchoed) throw new ValidationError({ url: [NOT_ECHOED] });
    return database.transaction(async (transaction) => {
      const now = clock.now();
      const before = await lockRecord(endpointRecord, database, id, undefined, transaction);
      if (before.url !== target.url)
        throw new ConflictError({ errors: { url: ['The address was changed meanwhile.'] } });
      if (before.status === 'disabled' && target.status !== 'disabled')
        throw new ConflictError({ errors: { status: ['The endpoint was turned off meanwhile.'] } });
      const well = { failingSince: null, warnedAt: null, resumeAt: null };
      const active = { status: 'active', disabledReason: null, ...well, updatedAt: now } as const;
      await endpointRecord.update(database, { id }, active, transaction);
      const endpoint = await endpointRecord.require(database, { id }, { transaction });
      await events.emit(new WebhookVerifiedEvent({ endpoint, occurredAt: now }), transaction);
      return endpoint;
    });
  }

  /**
   * Gives an endpoint another secret; for `overlap` seconds the earlier one signs too.
   * @param seerId the developer who is told it
   * @returns the secret too, which nobody can read again
   */
  async rotate(
    { id }: WebhookEndpoint,
    overlap: number,
    seerId: number | null = null,
  ): Promise<{ readonly endpoint: WebhookEndpoint; readonly secret: string }> {
    const { database, events, clock, encrypter } = this.parts;
    const secret = newWebhookSecret();
    const endpoint = await database.transaction(async (transaction) => {
      const now = clock.now();
      await lockRecord(endpointRecord, database, id, undefined, transaction);
      const options = { with: ['uuid', 'secret'], transaction } as const;
      const before = await endpointRecord.require(database, { id }, options);
      const sealed = encrypter.encrypt(secret, secretContext(before.uuid));
      const until = addSeconds(now, overlap);
      const values = { secret: sealed, previousSecret: before.secret, previousUntil: until, seerId, updatedAt: now };
      await endpointRecord.update(database, { id }, values, transaction);
      const after = await endpointRecord.require(database, { id }, { transaction });
      await events.emit(new WebhookSecretRotatedEvent({ endpoint: after, until, occurredAt: now }), transaction);
      return after;
    });
    return { endpoint, secret };
  }

  /** Sends an example of an event to the endpoint. @throws ConflictError unless it is active, ValidationError for an unknown type */
  async test(endpoint: WebhookEndpoint, type: string): Promise<void> {
    const { database, clock, outbox } = this.parts;
    requireActive(endpoint);
    if (!this.types(endpoint.ownerId).includes(type)) throw new ValidationError({ type: [unknownEvent(type)] });
    const { data } = exampleOf(type);
    const body = { type, timestamp: clock.now().toISOString(), data: { ...data, facts: { is_test: true } } };
    await database.transaction(async (transaction) => {
      await outbox.queueFor(endpoint, body, EXAMPLE_DETAILS, transaction);
      await this.announce(endpoint, 'test', 1, transaction);
    });
  }

  /** Sends one message again, also one that was delivered. @throws NotFoundError, ConflictError while it is being sent */
  async resend(endpoint: WebhookEndpoint, id: number): Promise<WebhookDelivery> {
    const { database, outbox } = this.parts;
    requireActive(endpoint);
    return database.transaction(async (transaction) => {
      await webhookDeliveryRecord.require(database, { id, endpointId: endpoint.id }, { transaction });
      if ((await outbox.requeue({ endpointId: endpoint.id, id }, transaction)) === 0) {
        throw new ConflictError({ errors: { state: ['The message is being sent.'] } });
      }
      await this.announce(endpoint, 'resend', 1, transaction);
      return webhookDeliveryRecord.require(database, { id }, { transaction });
    });
  }

  /** Sends again what was given up of that time. @returns how many messages @throws ConflictError, ValidationError */
  async recover(endpoint: WebhookEndpoint, span: Since): Promise<number> {
    requireActive(endpoint);
    requireSpan(span);
    return this.parts.database.transaction(async (transaction) => {
      const messages = await this.parts.outbox.requeue({ endpointId: endpoint.id, span }, transaction);
      if (messages > 0) await this.announce(endpoint, 'recover', messages, transaction);
      return messages;
    });
  }

  /**
   * Sends what happened in that time and was never queued for the endpoint: while it was off, or wanted less.
   * @returns how many messages
   * @throws ConflictError, ValidationError
   */
  async replay(endpoint: WebhookEndpoint, span: Since): Promise<number> {
    const { database, outbox } = this.parts;
    requireActive(endpoint);
    requireSpan(span);
    return database.transaction(async (transaction) => {
      const locked = await lockRecord(endpointRecord, database, endpoint.id, undefined, transaction);
      const messages = await outbox.queueMissing(locked, span, transaction);
      if (messages > 0) await this.announce(endpoint, 'replay', messages, transaction);
      return messages;
    });
  }

  /** @returns undefined for what is not given, null for none */
  private async audienceIds(
    { audiences }: WebhookInput,
    ownerId: WebhookOwner,
    transaction: Transaction,
  ): Promise<number[] | null | undefined> {
    if (audiences === undefined || audiences.length === 0) return audiences && null;
    if (ownerId !== null) throw new ValidationError({ audiences: ['Endpoints of developers hear of their own apps.'] });
    const known = await this.parts.audiences.require(audiences, transaction);
    return known.map(({ id }) => id).sort((a, b) => a - b);
  }

  private async beginChallenge(id: number) {
    const { database, clock } = this.parts;
    return database.transaction(async (transaction) => {
      await lockRecord(endpointRecord, database, id, undefined, transaction);
      const hidden = ['uuid', 'secret', 'previousSecret', 'challengedAt'] as const;
      const endpoint = await endpointRecord.require(database, { id }, { with: hidden, transaction });
      const now = clock.now();
      const last = endpoint.challengedAt;
      const isSoon = last !== null && last <= now && last > addSeconds(now, -BETWEEN_CHALLENGES_S);
      if (isSoon) throw new TooManyAttemptsError(BETWEEN_CHALLENGES_S);
      await endpointRecord.update(database, { id }, { challengedAt: now }, transaction);
      return endpoint;
    });
  }

  private async announce(endpoint: WebhookEndpoint, action: string, messages: number, transaction: Transaction) {
    const { events, clock } = this.parts;
    await events.emit(new WebhookResentEvent({ endpoint, action, messages, occurredAt: clock.now() }), transaction);
  }
}

const NOT_ECHOED =
  'The address did not echo the challenge: answer 200 with the JSON {"challenge": …} of data.challenge, or with its text alone.';

/** How an endpoint wants its messages; an empty choice of fields counts as none. */
function termsOf({ fields, atOnce, rate, isOrdered }: WebhookInput) {
  return { fields: fields?.length === 0 ? null : fields, atOnce, rate, isOrdered };
}

function needsVerification(): ConflictError {
  return new ConflictError({ errors: { enabled: ['To turn an endpoint on again, verify it.'] } });
}

/** @throws ConflictError */
function requireActive({ status }: WebhookEndpoint): void {
  if (status !== 'active') throw new ConflictError({ errors: { status: ['Verify the endpoint first.'] } });
}

function isEcho(body: string, challenge: string): boolean {
  const given = Buffer.from(echoIn(body));
  const expected = Buffer.from(challenge);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function echoIn(body: string): string {
  try {
    const read = JSON.parse(body) as { challenge?: unknown } | null;
    return typeof read?.challenge === 'string' ? read.challenge : '';
  } catch {
    return body.trim();
  }
}
