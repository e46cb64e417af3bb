import { ValidationError, type FieldErrors } from '../../core/index.js';
import { matchesEvent } from './webhook.js';

/** What an endpoint may be given at most: characters, and names or patterns of events. */
export const WEBHOOK_MOST = { url: 2_048, description: 200, events: 50 } as const;

const PATTERN = /^(\*|[a-z][a-z0-9_]*\.(\*|[a-z][a-z0-9_]*))$/;
const CONTROL = /\p{Cc}/u;

/** What an owner says of an endpoint; when it is changed, only what is given is. */
export interface WebhookInput {
  readonly url?: string | undefined;
  readonly description?: string | undefined;
  readonly events?: readonly string[] | undefined;
  /** false turns it off; to turn it on again, verify it. */
  readonly isEnabled?: boolean | undefined;
}

/**
 * Checks what was typed; where an address leads is checked with each request.
 * @param types of events that the owner can be told of
 * @throws ValidationError
 */
export function requireInput({ url, description, events }: WebhookInput, types: readonly string[]): void {
  const errors: FieldErrors = {};
  if (url !== undefined && !isAddress(url)) errors.url = [NO_ADDRESS];
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

const NO_ADDRESS = 'url must be an address that begins with https://';

export const unknownEvent = (name: string) =>
  `There is no event ${name}. Names are listed at webhook-events; app.* means all of app.`;

function isAddress(url: string): boolean {
  return url.length <= WEBHOOK_MOST.url && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
