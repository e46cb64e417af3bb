/** How the stand-in misbehaves. */
export interface FakeApigeeFailure {
  /**
   * `hang`: never answers. `reset`: drops the connection. `status`: answers with `status` and the flavour's error body.
   * `html`: a page with `status`, as a proxy in between would send. `truncated`: half of the JSON. `huge`: 10 MB.
   * `slow`: the right answer after `delay` milliseconds.
   */
  readonly kind: 'hang' | 'reset' | 'status' | 'html' | 'truncated' | 'huge' | 'slow';
  /** Whether what was asked for is done all the same, and only the answer is lost. Always so for `slow`. */
  readonly applied?: boolean;
  /** Only requests of this method. */
  readonly method?: string;
  /** Only requests whose path, as it was sent and with its query, fits; a string is the source of an expression. */
  readonly path?: RegExp | string;
  /** How many requests; 1 by default, Infinity for all. */
  readonly times?: number;
  /** How many fitting requests pass unharmed before. */
  readonly skip?: number;
  /** For `status` and `html`; 500 by default. */
  readonly status?: number;
  /** Seconds, as `Retry-After`. */
  readonly retryAfter?: number;
  /** Code in the body of `status`. */
  readonly code?: string;
  /** Milliseconds. */
  readonly delay?: number;
}

interface Armed {
  readonly failure: FakeApigeeFailure;
  readonly path: RegExp;
  left: number;
  skip: number;
}

/** What shall go wrong next; the first that fits a request is taken. */
export class FakeApigeeFailures {
  private armed: Armed[] = [];

  add(failure: FakeApigeeFailure): void {
    const path = new RegExp(failure.path ?? '');
    this.armed.push({ failure, path, left: failure.times ?? 1, skip: failure.skip ?? 0 });
  }

  clear(): void {
    this.armed = [];
  }

  take(method: string, path: string): FakeApigeeFailure | undefined {
    for (const entry of this.armed) {
      const { failure } = entry;
      if (failure.method !== undefined && failure.method !== method) continue;
      if (!entry.path.test(path)) continue;
      if (entry.skip > 0) {
        entry.skip -= 1;
        continue;
      }
      entry.left -= 1;
      if (entry.left <= 0) this.armed = this.armed.filter((other) => other !== entry);
      return failure;
    }
    return undefined;
  }
}
