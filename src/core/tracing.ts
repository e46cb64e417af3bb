/** What a span tells besides its name: never an address, a name of a person, a secret, or what somebody typed (S69). */
export type SpanFacts = Readonly<Record<string, string | number>>;

/** A part of some work, as traces show it. */
export interface Step {
  /** Few different ones: without ids and values. */
  readonly name: string;
  /** `client`: it waits for another service. */
  readonly kind?: 'client' | 'internal';
  readonly facts?: SpanFacts;
}

/** The span of a request, open until its answer is out. */
export interface RequestSpan {
  /** @param failed the portal did not do what it should have (5xx) */
  end(name: string, facts: SpanFacts, failed: boolean): void;
}

export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Follows work through the process, and across its borders. Rooms tell it what they do; nothing in them knows who listens.
 * What throws is told by its code or class alone: messages of errors quote values.
 */
export interface Tracer {
  /** A request from outside; continues the trace that its headers name. `work` and all it starts happen inside. */
  receive(headers: RequestHeaders, facts: SpanFacts, work: (span: RequestSpan) => void): void;
  /** A part of the present work. Without one around it that is traced, it is only done. @param tell more, once it is */
  step<T>(step: Step, work: () => Promise<T>, tell?: (result: T) => SpanFacts): Promise<T>;
  /** Work that nobody asked for: a trace of its own. */
  begin<T>(step: Step, work: () => Promise<T>): Promise<T>;
  /** What another service is sent so that it continues the present trace. */
  outgoing(): Readonly<Record<string, string>>;
  /** What the lines of a log name: `trace_id` and `span_id` of the present work. */
  present(): Readonly<Record<string, string>>;
}

const NOTHING: Readonly<Record<string, string>> = Object.freeze({});

/** For when nobody listens. */
export const untraced: Tracer = {
  receive: (_headers, _facts, work) => work({ end: () => undefined }),
  step: (_step, work) => work(),
  begin: (_step, work) => work(),
  outgoing: () => NOTHING,
  present: () => NOTHING,
};
