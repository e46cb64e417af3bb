import type { Clock, Logger } from '../../core/index.js';
import { type Budget, GatewayNotFoundError, type RemoteClient } from '../../gateway/index.js';
import { readAnswer, SignInRefusedError } from './apigee-fault.js';
import type { ApigeeMarks } from './marks.js';
import type { ApigeePlace } from './place.js';
import type { SignIn } from './sign-in.js';

/** What all parts of the driver share. */
export interface ApigeeContext {
  readonly platform: 'x' | 'edge';
  /** Attributes that tie Apigee's records to this portal. */
  readonly marks: ApigeeMarks;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Starts an operation with its own time budget. */
  readonly begin: () => ApigeeCalls;
}

interface ChangeOptions<T> {
  /** Whether the call is idempotent. */
  readonly isRepeatable: boolean;
  readonly read: (body: unknown) => T;
  /** Looks up the result after a lost answer; undefined if the call had no effect. */
  readonly recover?: () => Promise<T | undefined>;
}

export type Query = Readonly<Record<string, string | number | boolean | null>>;

/** Calls of one driver operation, sharing its time budget. */
export class ApigeeCalls {
  private readonly budget: Budget;

  /** @param root URL of the organization */
  constructor(
    private readonly remote: RemoteClient,
    private readonly signIn: SignIn,
    private readonly root: string,
  ) {
    this.budget = remote.begin();
  }

  /** @throws GatewayNotFoundError */
  get<T>(place: ApigeePlace, read: (body: unknown) => T, query: Query = {}): Promise<T> {
    return this.send('GET', place, { isRepeatable: true, read }, { query });
  }

  /** Like {@link get}, but undefined for a missing record. */
  async find<T>(place: ApigeePlace, read: (body: unknown) => T): Promise<T | undefined> {
    try {
      return await this.get(place, read);
    } catch (error) {
      if (error instanceof GatewayNotFoundError) return undefined;
      throw error;
    }
  }

  post<T>(place: ApigeePlace, body: unknown, options: ChangeOptions<T>): Promise<T> {
    return this.send('POST', place, options, { body });
  }

  put<T>(place: ApigeePlace, body: unknown, read: (body: unknown) => T): Promise<T> {
    return this.send('PUT', place, { isRepeatable: true, read }, { body });
  }

  /** Changes a state. Such calls have no body. */
  act(place: ApigeePlace, action: 'approve' | 'revoke' | 'active' | 'inactive'): Promise<void> {
    const options = { isRepeatable: true, read: () => undefined };
    return this.send<void>(GROUP_OR_ITS_APP.test(place.path) ? 'PUT' : 'POST', place, options, { query: { action } });
  }

  /** Succeeds if the record is already gone, so the call can be retried. */
  async remove(place: ApigeePlace): Promise<void> {
    try {
      await this.send<void>('DELETE', place, { isRepeatable: true, read: () => undefined }, {});
    } catch (error) {
      if (!(error instanceof GatewayNotFoundError)) throw error;
    }
  }

  private async send<T>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    place: ApigeePlace,
    options: ChangeOptions<T>,
    content: { query?: Query; body?: unknown },
  ): Promise<T> {
    const authorization = await this.signIn.authorization();
    try {
      return await this.runOnce(method, place, options, content, authorization);
    } catch (error) {
      // Tokens can be revoked early. A refused call had no effect, so it can be retried.
      if (!(error instanceof SignInRefusedError) || !this.signIn.renew(authorization)) throw error;
      return this.runOnce(method, place, options, content, await this.signIn.authorization());
    }
  }

  private runOnce<T>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    place: ApigeePlace,
    { isRepeatable, read, recover }: ChangeOptions<T>,
    { query = {}, body }: { query?: Query; body?: unknown },
    authorization: string,
  ): Promise<T> {
    const label = `${method} ${place.label === '' ? '/' : place.label}`;
    const request = {
      ...{ method, label, url: this.root + place.path + searchOf(query) },
      headers: { authorization, accept: 'application/json', ...contentType(method, body) },
      body: body === undefined ? undefined : JSON.stringify(body),
    };
    const terms = {
      isRepeatable,
      recover,
      read: (answer: Parameters<typeof readAnswer>[0]) => read(readAnswer(answer, label)),
    };
    return this.remote.call(request, terms, this.budget);
  }
}

/** X changes the state of these by PUT, that of everything else by POST. */
const GROUP_OR_ITS_APP = /^\/appgroups\/[^/]+(?:\/apps\/[^/]+)?$/;

function contentType(method: string, body: unknown): Record<string, string> {
  if (body !== undefined) return { 'content-type': 'application/json' };
  return method === 'POST' || method === 'PUT' ? { 'content-type': 'application/octet-stream' } : {};
}

function searchOf(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== null) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search.toString()}`;
}

/** For `catch`: turns a missing record into undefined. */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof GatewayNotFoundError) return undefined;
  throw error;
}
