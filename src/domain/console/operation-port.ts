import type { ObjectSchema } from 'joi';
import type { ListPage, RequestInfo } from '../../core/index.js';
import type { AdminActor } from '../auth/index.js';

/** What an operation of the admin API is called with inside the process. */
export interface PortCall {
  readonly actor: AdminActor;
  readonly params?: Readonly<Record<string, string | number>>;
  /** As in a query string. */
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly request: RequestInfo;
  readonly locale: string;
}

/**
 * The admin API as functions: the same permissions, policies, validation and audit as over the network. The surface
 * implements it; this domain knows nothing of HTTP.
 */
export interface OperationPort {
  /** @throws PortalError, whatever the API would answer with an error */
  run(
    operation: string,
    call: PortCall,
  ): Promise<{ readonly status: number; readonly data: unknown; readonly page?: ListPage<unknown> }>;
  /** Whether the admin may call it at all; records nothing. */
  may(operation: string, actor: AdminActor): Promise<boolean>;
  /** The body as the operation would take it. @throws ValidationError */
  validate(operation: string, body: unknown): unknown;
  /** How it is declared. @throws Error for one that does not exist */
  route(operation: string): { readonly body?: ObjectSchema };
}

/** A record as the API shows it. */
export type ShownRecord = Readonly<Record<string, unknown>>;

/** An action that may be done to many records of a list. */
export interface BulkAction {
  /** Operation that lists the records; its list sorts by `id`, and every record has one. */
  readonly list: string;
  /** Operation that is run for each. Done twice to a record it does the same as done once. */
  readonly operation: string;
  /** Constant part of the query of the list. */
  readonly query?: Readonly<Record<string, unknown>>;
  /** Whether a record is in a state for it; all by default. The others are left alone. */
  readonly offered?: (record: ShownRecord) => boolean;
  /** What fills the path of the operation; by default the `id`. */
  readonly rowParams?: (record: ShownRecord) => Readonly<Record<string, string | number>>;
}

/** What the console declares, by name: jobs keep names, which still mean something after a restart. */
export type FindBulkAction = (resource: string, action: string) => BulkAction | null;

/** The actor of a call, and its request. */
export interface BulkCaller {
  readonly actor: AdminActor;
  readonly request: RequestInfo;
  readonly locale: string;
}

/** A change of a record as files in a repository want it, as `portal apply` sends it. */
export interface WantedChange {
  /** As files call it: `products`, `news`. */
  readonly kind: string;
  /** Slug, name or key. */
  readonly key: string;
  readonly what: 'create' | 'update' | 'draft' | 'delete' | 'manage';
  /** Version that the record must have, as the quoted tag of `If-Match`; null for a new one, and for a mark. */
  readonly etag: string | null;
  /** Fields as files have them. */
  readonly doc: Readonly<Record<string, unknown>>;
  /** Field → file beside the record, in base64. */
  readonly files: Readonly<Record<string, string>>;
  readonly manager: { readonly name: string; readonly source: string | null } | null;
  readonly protected: boolean;
}

/**
 * Carries out changes in one transaction, each with the permissions of the caller.
 * @throws ConflictError on `etag` for a record that was changed meanwhile; ForbiddenError, ConflictError and ValidationError
 *   on `changes`, with the record that was refused
 */
export type ApplyChanges = (changes: readonly WantedChange[], caller: BulkCaller) => Promise<void>;

/** What is known once the surfaces exist: services are built before them. */
export class ConsoleOperations {
  private connected: { readonly port: OperationPort; readonly findAction: FindBulkAction } | null = null;
  private applying: ApplyChanges | null = null;

  connectFiles(apply: ApplyChanges): void {
    this.applying = apply;
  }

  /** As {@link ApplyChanges}. */
  async apply(changes: readonly WantedChange[], caller: BulkCaller): Promise<void> {
    if (!this.applying) throw new Error('nothing that applies files is connected');
    await this.applying(changes, caller);
  }

  connect(port: OperationPort, findAction: FindBulkAction): void {
    this.connected = { port, findAction };
  }

  /** Whether {@link connect} was called: without the console nothing can be done to many records. */
  get isConnected(): boolean {
    return this.connected !== null;
  }

  get port(): OperationPort {
    return this.require().port;
  }

  findAction(resource: string, action: string): BulkAction | null {
    return this.require().findAction(resource, action);
  }

  private require() {
    if (!this.connected) throw new Error('no operations are connected to the console');
    return this.connected;
  }
}
