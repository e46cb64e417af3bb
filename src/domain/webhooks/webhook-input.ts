import { ValidationError, type FieldErrors } from '../../core/index.js';
import { matchesEvent } from './webhook.js';
import { WEBHOOK_FIELD } from './webhook-catalog.js';
import type { Since } from './webhook-outbox.js';

/** What an endpoint may be given at most: characters, names of events and fields, requests at once and messages in a minute. */
export const WEBHOOK_MOST = { url: 2_048, description: 200, events: 50, fields: 20, atOnce: 10, rate: 6_000 } as const;

const PATTERN = /^(\*|[a-z][a-z0-9_]*\.(\*|[a-z][a-z0-9_]*))$/;
const CONTROL = /\p{Cc}/u;

/** What an owner says of an endpoint; when it is changed, only what is given is. */
export interface WebhookInput {
  readonly url?: string | undefined;
  readonly description?: string | undefined;
  readonly events?: readonly string[] | undefined;
  /** Names or ids of the audiences that it hears of; none: of everything. For endpoints of the operator. */
  readonly audiences?: readonly (string | number)[] | undefined;
  /** What messages tell besides: `label`, `changes`, `changes.status`. */
  readonly fields?: readonly string[] | undefined;
  /** Most requests at once; null: as many as the portal thinks best. */
  readonly atOnce?: number | null | undefined;
  /** Most messages in a minute; null: any number. */
  readonly rate?: number | null | undefined;
  /** Keep the order of messages about the same subject. */
  readonly isOrdered?: boolean | undefined;
  /** false turns it off; to turn it on again, verify it. */
  readonly isEnabled?: boolean | undefined;
}

/**
 * Checks what was typed; where an address leads is checked with each request.
 * @param types of events that the owner can be told of
 * @throws ValidationError
 */
export function requireInput(input: WebhookInput, types: readonly string[]): void {
  const { url, description, events } = input;
  const errors: FieldErrors = termErrors(input);
  if (url !== undefined && !isAddress(url)) errors.url = [NO_ADDRESS];
  else if (url !== undefined && !isPlain(url)) errors.url = [NOT_PLAIN];
  if (description !== undefined && (description.length > WEBHOOK_MOST.description || CONTROL.test(description))) {
    errors.description = [`Use at most ${WEBHOOK_MOST.description} visible characters.`];
  }
  if (events?.length === 0) errors.events = ['Choose at least one event.'];
  if (events && events.length > WEBHOOK_MOST.events) {
    errors.events = [`Choose at most ${WEBHOOK_MOST.events} events; app.* means all of app.`];
  }
  const unknown = events?.find((name) => !PATTERN.test(name) || !types.some((type) => matchesEvent([name], type)));
  if (unknown !== undefined) errors.events = [unknownEvent(unknown)];
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
}

function termErrors({ fields, atOnce, rate }: WebhookInput): FieldErrors {
  const errors: FieldErrors = {};
  const unknown = fields?.find((name) => !WEBHOOK_FIELD.test(name));
  if (unknown !== undefined)
    errors.fields = [`There is no field ${unknown}: label, changes, or changes.status and the like.`];
  if (fields && fields.length > WEBHOOK_MOST.fields) errors.fields = [`Choose at most ${WEBHOOK_MOST.fields} fields.`];
  if (!isUpTo(WEBHOOK_MOST.atOnce, atOnce)) errors.at_once = [wholeNumber(WEBHOOK_MOST.atOnce)];
  if (!isUpTo(WEBHOOK_MOST.rate, rate)) errors.rate = [wholeNumber(WEBHOOK_MOST.rate)];
  return errors;
}

const isUpTo = (most: number, value: number | null | undefined) =>
  value === null || value === undefined || (Number.isInteger(value) && value >= 1 && value <= most);
const wholeNumber = (most: number) => `Give a whole number from 1 to ${most}.`;

/** @throws ValidationError for a stretch that ends before it begins */
export function requireSpan({ since, until }: Since): void {
  if (until !== null && until <= since) throw new ValidationError({ until: ['The end must be later than the start.'] });
}

const NO_ADDRESS = 'url must be an address that begins with https://';
const NOT_PLAIN = 'url must hold neither a user name nor line breaks';

export const unknownEvent = (name: string) =>
  `There is no event ${name}. Names are listed at webhook-events; app.* means all of app.`;

function isAddress(url: string): boolean {
  return url.length <= WEBHOOK_MOST.url && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** No request goes to an address with a user name, whose password would stand here for everybody who may see the endpoint. */
function isPlain(url: string): boolean {
  const { username, password } = new URL(url);
  return username === '' && password === '' && !CONTROL.test(url);
}
