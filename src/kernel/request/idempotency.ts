/** A request that its client may send again, because it never learnt whether the first one arrived (R19). */
export interface IdempotentCall {
  /** Whose key it is: the same key of somebody else is another one. */
  readonly scope: string;
  /** As the client made it up. */
  readonly key: string;
  /** Method, address and body: what must be the same for it to be the same request. May hold a password; never stored. */
  readonly content: string;
}

/** An answer as it was sent; headers in lower case. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The first request with its key. One of the two is called in the end; when the process dies, a lease runs out. */
export interface IdempotentRun {
  /** Every repetition gets this answer from now on. */
  keep(answer: KeptAnswer): Promise<void>;
  /** Nothing was done; the key is free again. */
  release(): Promise<void>;
}

/** Remembers the answers of requests with an `Idempotency-Key`, for all replicas. */
export interface IdempotencyStore {
  /**
   * @returns the kept answer, or leave to do the work
   * @throws ValidationError when the key belongs to another request, ConflictError while the first one still runs
   */
  begin(call: IdempotentCall): Promise<KeptAnswer | IdempotentRun>;
}
