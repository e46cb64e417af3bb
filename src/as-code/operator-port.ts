import { currentActorContext, PortalError, runAs, ValidationError, type RequestInfo } from '../core/index.js';
import type { AdminActor } from '../domain/auth/index.js';
import type { PortalServices } from '../domain/services.js';
import { Operations, RawReply, type OperationResult, type Pipeline } from '../http/index.js';
import type { PortalRoute } from '../api/index.js';
import { PortRefusal, type AdminPort, type AdminCall, type PortDocument } from './port.js';

const PER_PAGE = '100';

/** What the admin API is made of: every declared route, and the steps of a request. */
export interface OperatorParts {
  readonly routes: readonly PortalRoute[];
  readonly pipeline: Pipeline<PortalServices>;
  readonly database: { together<T>(run: () => Promise<T>): Promise<T> };
}

/** The caller, when the call is made inside this process. */
interface Caller {
  readonly actor: AdminActor;
  readonly request: RequestInfo;
  readonly locale: string;
}

/** The admin API inside of the process, with the permissions of its caller. Everything called within `together` is one transaction. */
export class ProcessPort implements AdminPort {
  readonly place: string = 'the portal';
  readonly together: NonNullable<AdminPort['together']>;
  readonly readAhead: NonNullable<AdminPort['readAhead']>;
  private readonly operations: Operations<PortalServices>;

  constructor(
    { routes, pipeline, database }: OperatorParts,
    protected readonly caller: Caller,
  ) {
    this.together = (run) => database.together(run);
    this.readAhead = (document) => pipeline.services.catalog.products.readAhead(document);
    // A refusal is recorded by whoever asked for all of it.
    const guards = { ...pipeline.guards, recordRefusal: () => Promise.resolve() };
    const settings = { ...pipeline.settings, maxPerPage: Math.max(pipeline.settings.maxPerPage, Number(PER_PAGE)) };
    this.operations = new Operations(routes, { ...pipeline, guards, settings });
  }

  async call(operation: string, call: AdminCall = {}): Promise<unknown> {
    return copyAsJson((await this.run(operation, call)).data);
  }

  async all(operation: string, query: AdminCall['query'] = {}, params: AdminCall['params'] = {}) {
    const records: Record<string, unknown>[] = [];
    for (let page = 1; ; page += 1) {
      const result = await this.run(operation, { params, query: { ...query, per_page: PER_PAGE, page: String(page) } });
      records.push(...(copyAsJson(result.data) as Record<string, unknown>[]));
      if (!result.page || records.length >= (result.page.total ?? 0) || result.page.items.length === 0) return records;
    }
  }

  async count(operation: string, query: Readonly<Record<string, string>>): Promise<number> {
    const { page } = await this.run(operation, { query: { ...query, per_page: '1' } });
    return page?.total ?? 0;
  }

  async read(operation: string, params: Readonly<Record<string, string | number>>): Promise<PortDocument> {
    const { document } = await this.run(operation, { params });
    if (!(document instanceof RawReply)) throw new Error(`${operation} answers with no document`);
    return { tag: (document.headers.ETag ?? '').replaceAll('"', ''), bytes: Buffer.from(document.body) };
  }

  private async run(operation: string, { params, query, body, ifMatch, file }: AdminCall): Promise<OperationResult> {
    // As in an address, where every value is text.
    const texts = Object.entries(params ?? {}).map(([name, value]) => [name, String(value)]);
    const call = {
      ...this.caller,
      ...{ params: Object.fromEntries(texts) as Record<string, string>, query, body, ifMatch },
      ...(file && { upload: { kind: 'file', bytes: file } as const }),
    };
    try {
      return await this.operations.run(operation, call);
    } catch (error) {
      throw refusal(operation, error);
    }
  }
}

/** The same for the operator at the command line, who may do everything. */
export class OperatorPort extends ProcessPort {
  override readonly place = 'the database';

  constructor(
    private readonly services: PortalServices,
    { pipeline, ...parts }: OperatorParts,
    /** What the activity log tells in place of a browser. */
    origin = '',
  ) {
    const doNothing = () => Promise.resolve();
    const guards = {
      ...pipeline.guards,
      // A person who can run commands can change the database as well, so no permission is checked.
      describe: () => currentActorContext().person,
      ...{ admit: doNothing, authorize: doNothing, protect: doNothing },
    };
    const permitted: PortalServices = { ...services, authorizer: { authorize: doNothing } };
    const request = { requestId: '', ip: '', userAgent: origin };
    const caller = { actor: operator(services), request, locale: pipeline.settings.defaultLocale };
    super({ ...parts, pipeline: { ...pipeline, services: permitted, guards } }, caller);
  }

  override async call(operation: string, call: AdminCall = {}): Promise<unknown> {
    const role = await this.changeRole(operation, call);
    return role === undefined ? super.call(operation, call) : copyAsJson(role);
  }

  /** Changes of roles need an admin as their actor, and the operator is none. */
  private async changeRole(operation: string, { params, body, ifMatch }: AdminCall): Promise<unknown> {
    if (!/^(?:create|update|delete)Role$/.test(operation)) return undefined;
    const { person } = currentActorContext();
    return runAs({ person, request: this.caller.request }, () => this.runForRole(operation, { params, body, ifMatch }));
  }

  private async runForRole(operation: string, { params, body, ifMatch }: AdminCall): Promise<unknown> {
    const { roles } = this.services.administration;
    const id = Number(params?.id);
    const expected = ifMatch === undefined ? undefined : new Date(Number.parseInt(ifMatch.slice(1, -1), 36));
    try {
      if (operation === 'createRole') return await roles.create(body as never, 'operator');
      if (operation === 'updateRole') return await roles.update(id, body as never, 'operator', expected);
      await roles.delete(id, 'operator', expected);
      return {};
    } catch (error) {
      throw refusal(operation, error);
    }
  }
}

function refusal(operation: string, error: unknown): unknown {
  if (!(error instanceof PortalError) || error.status >= 500) return error;
  const faults = error instanceof ValidationError ? error.errors : ((error as { errors?: object }).errors ?? {});
  const told = Object.entries(faults).map(([field, sentences]) => `${field}: ${(sentences as string[]).join(' ')}`);
  return new PortRefusal(error.status, [`${operation} was refused: ${error.message}`, ...told].join(' '));
}

function operator({ clock }: PortalServices): AdminActor {
  const now = clock.now();
  const admin = {
    id: 0,
    name: 'operator',
    email: '',
    status: 'active',
    lastLoginAt: null,
    createdAt: now,
    updatedAt: now,
  } as const;
  return { context: 'admin', id: 0, admin, sid: 'operator', channel: 'api', authTime: now };
}

/** As JSON has it: the same data as over the network. */
const copyAsJson = (data: unknown): unknown => JSON.parse(JSON.stringify(data ?? null)) as unknown;
