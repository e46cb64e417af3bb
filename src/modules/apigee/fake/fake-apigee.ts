import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, systemClock } from '../../../core/index.js';
import { type FakeApigeeAnswer, UnknownCall } from './api-request.js';
import { ApigeeApi } from './apigee-api.js';
import { ApigeeFault, faultBody, faults } from './apigee-fault.js';
import type { FakeApigeeProduct, OrganizationOptions } from './apigee-model.js';
import { ApigeeOrganization, readOrganization, writeOrganization } from './apigee-organization.js';
import { answerControl } from './control.js';
import {
  type FakeApigeeFailure,
  FakeApigeeFailures,
  misbehave,
  sendResponse,
  type FakeApigeeResult,
} from './failures.js';
import { readApiRequest, type RecordedRequest } from './read-request.js';
import { FakeApigeeTokens, PASSWORD, STATIC_TOKEN, USERNAME } from './tokens.js';

export interface FakeApigeeOptions extends OrganizationOptions {
  /** 0 by default: any free port. */
  readonly port?: number;
  /** `127.0.0.1` by default; the stand-in is open to everybody who can reach it. */
  readonly host?: string;
  readonly clock?: Clock;
  /** Minimum duration of every answer in milliseconds. */
  readonly delay?: number;
  /** Management API calls per minute before 429. No limit by default. */
  readonly callsPerMinute?: number;
  /** Lifetime of access tokens in seconds; 3600 by default. */
  readonly tokenLifetime?: number;
  /** Path of a file that keeps developers, apps and keys with their secrets between runs. */
  readonly file?: string | undefined;
}

/** Ways to sign in: X supports the first three, Edge the first and the last two. */
export type FakeApigeeSignIn = 'token' | 'service-account' | 'metadata' | 'basic' | 'oauth';

/**
 * A server with the management API of an in-memory Apigee organization, for tests and for teams without an organization.
 * It behaves as Apigee's documentation and clients say, pitfalls included: attributes are replaced, keys appear
 * unrequested, cursors repeat an item. Failures can be injected. `/proxies/{product}` checks keys like an API proxy with a
 * VerifyAPIKey policy.
 */
export class FakeApigee {
  /** Its records, which tests may change as an administrator of the organization might. */
  readonly organization: ApigeeOrganization;
  /** All requests to the management API, in order. */
  readonly requests: RecordedRequest[] = [];
  readonly tokens: FakeApigeeTokens;
  private readonly failures = new FakeApigeeFailures();
  private readonly api: ApigeeApi;
  private readonly sockets = new Set<Socket>();
  private recent: number[] = [];

  private constructor(
    private readonly options: FakeApigeeOptions,
    private readonly server: Server,
  ) {
    const { clock = systemClock, flavour, tokenLifetime = 3600 } = options;
    this.organization = new ApigeeOrganization(options, clock);
    this.api = new ApigeeApi(this.organization);
    if (options.file !== undefined) readOrganization(options.file, this.organization);
    this.tokens = new FakeApigeeTokens(flavour, () => this.organization.now(), tokenLifetime);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.answer(request, response));
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  static async start(options: FakeApigeeOptions): Promise<FakeApigee> {
    const server = createServer();
    const fake = new FakeApigee(options, server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve);
    });
    return fake;
  }

  get url(): string {
    const { address, port } = this.server.address() as AddressInfo;
    return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  }

  /** URL to try a key at: replace `{product}`, and send the key as `x-api-key`. */
  get door(): string {
    return `${this.url}/proxies/{product}`;
  }

  /** Values of `gateway.apigee` that connect a portal to it. */
  settings(signIn: FakeApigeeSignIn = 'token'): Record<string, string> {
    const place = { platform: this.options.flavour, organization: this.organization.name, endpoint: this.url };
    switch (signIn) {
      case 'token':
        return { ...place, token: STATIC_TOKEN };
      case 'service-account':
        return { ...place, credentials: JSON.stringify(this.tokens.serviceAccount(`${this.url}/token`)) };
      case 'metadata':
        return { ...place, metadataUrl: `${this.url}/computeMetadata/v1/instance/service-accounts/default/token` };
      case 'basic':
        return { ...place, username: USERNAME, password: PASSWORD };
      case 'oauth':
        return { ...place, username: USERNAME, password: PASSWORD, tokenUrl: `${this.url}/oauth/token` };
    }
  }

  /** Makes the next matching requests fail. */
  fail(failure: FakeApigeeFailure): void {
    this.failures.add(failure);
  }

  /** Cancels all failures. */
  mend(): void {
    this.failures.clear();
  }

  /** Whether an API proxy with a VerifyAPIKey policy would accept the key now. */
  opens(consumerKey: string, product: string): boolean {
    return this.organization.opens(consumerKey, product);
  }

  addProduct(product: FakeApigeeProduct): void {
    this.organization.products.set(product.name, product);
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const request = await readApiRequest(incoming);
      if (answerControl(this, request, response)) return;
      const isManagement = request.path.startsWith('/v1/');
      if (isManagement) this.requests.push({ ...request, at: new Date(this.organization.now()) });
      const failure = this.failures.take(request.method, request.path);
      const delay = Math.max(this.options.delay ?? 0, failure?.kind === 'slow' ? (failure.delay ?? 0) : 0);
      if (delay > 0) await wait(delay);
      if (failure === undefined || failure.kind === 'slow')
        return sendResponse(response, this.run(request, isManagement));
      const isApplied = failure.applied === true || failure.kind === 'truncated';
      const result = isApplied ? this.run(request, isManagement) : undefined;
      misbehave(failure, response, result, this.options.flavour);
    } catch {
      response.destroy();
    }
  }

  /** Handles a request; faults become answers. */
  private run(request: RecordedRequest, isManagement: boolean): FakeApigeeResult {
    try {
      return isManagement ? this.manage(request) : this.handleOther(request);
    } catch (error) {
      if (error instanceof UnknownCall) return 'html';
      if (!(error instanceof ApigeeFault)) throw error;
      return { status: error.status, body: faultBody(error, this.options.flavour, 'stand-in') };
    }
  }

  private manage({ method, segments, query, body, headers }: RecordedRequest): FakeApigeeAnswer {
    this.tokens.authorize(headers.authorization);
    this.count();
    const [, collection, organization, ...below] = segments;
    if (collection !== 'organizations' || organization === undefined) throw new UnknownCall();
    if (organization !== this.organization.name) throw this.refuseOrganization(organization);
    const contentType = headers['content-type'] ?? '';
    const answer = this.api.handle({ method, segments: below, query, body, contentType });
    if (this.options.file !== undefined && method !== 'GET') writeOrganization(this.options.file, this.organization);
    return answer;
  }

  private handleOther({ method, segments, query, form, headers }: RecordedRequest): FakeApigeeAnswer {
    const path = segments.join('/');
    if (method === 'POST' && path === 'token')
      return { status: 200, body: this.tokens.google(form, `${this.url}/token`) };
    if (method === 'POST' && path === 'oauth/token') {
      return { status: 200, body: this.tokens.edge(form, headers.authorization) };
    }
    if (path === 'computeMetadata/v1/instance/service-accounts/default/token') {
      return { status: 200, body: this.tokens.metadata(headers['metadata-flavor'] as string | undefined) };
    }
    const [first, product] = segments;
    if (first !== 'proxies' || product === undefined) throw new UnknownCall();
    const key = headers['x-api-key'] ?? query.get('apikey') ?? '';
    if (this.opens(String(key), product)) return { status: 200, body: { product } };
    throw new ApigeeFault(401, 'oauth.v2.InvalidApiKey', 'Invalid ApiKey', { isRaisedByProxy: true });
  }

  private refuseOrganization(name: string): ApigeeFault {
    return this.options.flavour === 'edge'
      ? new ApigeeFault(404, 'organizations.OrganizationDoesNotExist', `Organization ${name} does not exist`)
      : new ApigeeFault(
          403,
          'PERMISSION_DENIED',
          `Permission denied on resource "organizations/${name}" (or it may not exist)`,
        );
  }

  private count(): void {
    const { callsPerMinute = Infinity } = this.options;
    const now = this.organization.now();
    this.recent = callsPerMinute === Infinity ? [] : [...this.recent.filter((at) => at > now - 60_000), now];
    if (this.recent.length > callsPerMinute) throw faults.throttled();
  }
}
