import type { WantedChange } from '../domain/console/index.js';

/** What a call of an admin operation is made with. */
export interface AdminCall {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Version that the record must have, as the quoted tag of `If-Match`. */
  readonly ifMatch?: string | undefined;
  /** The bytes of the route's upload. */
  readonly file?: Buffer | undefined;
}

/** A document as it was answered; `bytes` is null where the caller has it already. */
export interface PortDocument {
  /** Without quotes. */
  readonly tag: string;
  readonly bytes: Buffer | null;
}

/**
 * The admin API as functions, inside the process or over the network: everything that reads and writes a portal as code
 * goes through it, so that both do the same.
 */
export interface AdminPort {
  /** Where it leads, for people: the database, or an address. */
  readonly place: string;
  /** Makes one transaction of all that is called within; absent where nothing spans several calls. */
  together?<T>(run: () => Promise<T>): Promise<T>;
  /**
   * Carries out all changes in one transaction at the other end.
   * @throws PortRefusal with the record; of status 412 for one that was changed meanwhile
   */
  applyAtOnce?(changes: readonly WantedChange[]): Promise<void>;
  /** Begins to read a document that will be sent soon. */
  readAhead?(document: string): void;
  /** The data as JSON has it. @throws Error with a sentence for people; {@link PortRefusal} for an answer of the API */
  call(operation: string, call?: AdminCall): Promise<unknown>;
  /** All records of a list, however many pages it has. */
  all(
    operation: string,
    query?: AdminCall['query'],
    params?: AdminCall['params'],
  ): Promise<readonly Record<string, unknown>[]>;
  /** Total of a list. */
  count(operation: string, query: Readonly<Record<string, string>>): Promise<number>;
  /** @param known tag that the caller has, so that it is not sent again */
  read(operation: string, params: Readonly<Record<string, string | number>>, known?: string): Promise<PortDocument>;
}

/** An answer of the API that is an error. */
export class PortRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'PortRefusal';
  }
}

/** The tag of `If-Match` for a record that was read. */
export function tagOf({ updated_at: at }: Readonly<Record<string, unknown>>): string {
  return `"${new Date(String(at)).getTime().toString(36)}"`;
}
