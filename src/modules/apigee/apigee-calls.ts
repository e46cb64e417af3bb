import type { Clock, Logger } from '../../core/index.js';
import { type Budget, GatewayNotFoundError, type RemoteClient } from '../../gateway/index.js';
import { readAnswer, SignInRefusedError } from './apigee-fault.js';
import type { Marks } from './marks.js';
import type { Place } from './place.js';
import type { SignIn } from './sign-in.js';

/** Shared by the parts of the driver. */
export interface ApigeeContext {
  readonly platform: 'x' | 'edge';
  /** Marks that tie records to this portal. */
  readonly marks: Marks;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Begins an operation, which has a time of its own. */
  readonly begin: () => ApigeeCalls;
}

interface ChangeOptions<T> {
  /** The call is idempotent. */
  readonly isRepeatable: boolean;
  /** Reads the answer. */
  readonly read: (body: unknown) => T;
  /** Looks for the result when the answer was lost; undefined: it was not done. */
  readonly recover?: () => Promise<T | undefined>;
}

export type Query = Readonly<Record<string, string | number | boolean | null>>;

/** The calls of one driver operation, which share its time budget. */
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
  get<T>(place: Place, read: (body: unknown) => T, query: Query = {}): Promise<T> {
    return this.send('GET', place, { isRepeatable: true, read }, { query });
  }

  /** The same, undefined when it is not there. */
  async find<T>(place: Place, read: (body: unknown) => T): Promise<T | undefined> {
    try {
      return await this.get(place, read);
    } catch (error) {
      if (error instanceof GatewayNotFoundError) return undefined;
      throw error;
    }
  }

  post<T>(place: Place, body: unknown, options: ChangeOptions<T>): Promise<T> {
    return this.send('POST', place, options, { body });
  }

  put<T>(place: Place, body: unknown, read: (body: unknown) => T): Promise<T> {
    return this.send('PUT', place, { isRepeatable: true, read }, { body });
  }

  /** Changes a state: a call without a body, which says so. */
  act(place: Place, action: 'approve' | 'revoke' | 'active' | 'inactive'): Promise<void> {
    const options = { isRepeatable: true, read: () => undefined };
    return this.send<void>('POST', place, options, { query: { action } });
  }

  /** Deleting something that is gone succeeds, so the call can be repeated. */
  async remove(place: Place): Promise<void> {
    try {
      await this.send<void>('DELETE', place, { isRepeatable: true, read: () => undefined }, {});
    } catch (error) {
      if (!(error instanceof GatewayNotFoundError)) throw error;
    }
  }

  private async send<T>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    place: Place,
    options: ChangeOptions<T>,
    content: { query?: Query; body?: unknown },
  ): Promise<T> {
    const authorization = await this.signIn.authorization();
    try {
      return await this.once(method, place, options, content, authorization);
    } catch (error) {
      // Tokens can be revoked early; nothing was done, so the call can be repeated.
      if (!(error instanceof SignInRefusedError) || !this.signIn.renew(authorization)) throw error;
      return this.once(method, place, options, content, await this.signIn.authorization());
    }
  }

  private once<T>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    place: Place,
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

function contentType(method: string, body: unknown): Record<string, string> {
  if (body !== undefined) return { 'content-type': 'application/json' };
  return method === 'POST' ? { 'content-type': 'application/octet-stream' } : {};
}

function searchOf(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== null) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search.toString()}`;
}

/** For `catch`: a missing record is fine. */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof GatewayNotFoundError) return undefined;
  throw error;
}
