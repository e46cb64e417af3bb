/** Attributes of a span: never an address, a person's name, a secret, or user input (S69). */
export type SpanFacts = Readonly<Record<string, string | number>>;

/** A traced part of some work. */
export interface Step {
  /** Low cardinality: without ids and values. */
  readonly name: string;
  /** `client`: a call to another service. */
  readonly kind?: 'client' | 'internal';
  readonly facts?: SpanFacts;
}

/** The span of a request, open until the answer is sent. */
export interface RequestSpan {
  /** @param failed the portal failed (5xx) */
  end(name: string, facts: SpanFacts, failed: boolean): void;
}

export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Traces work within the process and across its borders. Callers do not know whether anything records it. Errors are
 * recorded by code or class only, because messages quote values.
 */
export interface Tracer {
  /** An incoming request; continues the trace of its headers. `work` and everything it starts run inside. */
  receive(headers: RequestHeaders, facts: SpanFacts, work: (span: RequestSpan) => void): void;
  /** A step of the current trace; outside a trace, only runs `work`. @param tell attributes of the result */
  step<T>(step: Step, work: () => Promise<T>, tell?: (result: T) => SpanFacts): Promise<T>;
  /** Work outside a request, in a trace of its own. */
  begin<T>(step: Step, work: () => Promise<T>): Promise<T>;
  /** Headers for an outgoing call that continue the current trace. */
  writeOutgoing(): Readonly<Record<string, string>>;
  /** Fields for log lines: `trace_id` and `span_id` of the current work. */
  present(): Readonly<Record<string, string>>;
}

const NOTHING: Readonly<Record<string, string>> = Object.freeze({});

/** Used when tracing is off. */
export const untraced: Tracer = {
  receive: (_headers, _facts, work) => work({ end: () => undefined }),
  step: (_step, work) => work(),
  begin: (_step, work) => work(),
  writeOutgoing: () => NOTHING,
  present: () => NOTHING,
};
