import type * as Api from '@opentelemetry/api';
import type { RequestHeaders, RequestSpan, SpanFacts, Step, Tracer } from '../core/index.js';

/** W3C Trace Context. Foreign baggage is dropped: it would be passed on to the gateway. */
const INCOMING = ['traceparent', 'tracestate'];

interface Terms<T> {
  readonly root?: boolean;
  readonly tell?: ((result: T) => SpanFacts) | undefined;
}

/** Spans that follow the semantic conventions of OpenTelemetry, for whatever SDK is registered. */
export class OpenTelemetryTracer implements Tracer {
  private readonly tracer: Api.Tracer;

  constructor(
    private readonly api: typeof Api,
    scope: string,
    version: string,
  ) {
    this.tracer = api.trace.getTracer(scope, version);
  }

  receive(headers: RequestHeaders, facts: SpanFacts, work: (span: RequestSpan) => void): void {
    const { trace, context, propagation, SpanKind } = this.api;
    // A traced host already has a span for the request; ours becomes its child.
    const isInside = trace.getActiveSpan() !== undefined;
    const parent = isInside ? context.active() : propagation.extract(context.active(), traceHeaders(headers));
    const kind = isInside ? SpanKind.INTERNAL : SpanKind.SERVER;
    const span = this.tracer.startSpan(String(facts['http.request.method']), { kind, attributes: facts }, parent);
    const end = (name: string, more: SpanFacts, failed: boolean) => {
      span.updateName(name).setAttributes(more);
      if (failed) span.setStatus({ code: this.api.SpanStatusCode.ERROR });
      span.end();
    };
    context.with(trace.setSpan(parent, span), () => work({ end }));
  }

  step<T>(step: Step, work: () => Promise<T>, tell?: (result: T) => SpanFacts): Promise<T> {
    return this.api.trace.getActiveSpan() === undefined ? work() : this.runInSpan(step, work, { tell });
  }

  begin<T>(step: Step, work: () => Promise<T>): Promise<T> {
    return this.runInSpan(step, work, { root: true });
  }

  writeOutgoing(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    this.api.propagation.inject(this.api.context.active(), headers);
    return headers;
  }

  present(): Readonly<Record<string, string>> {
    const span = this.api.trace.getActiveSpan()?.spanContext();
    return span && this.api.isSpanContextValid(span) ? { trace_id: span.traceId, span_id: span.spanId } : {};
  }

  private runInSpan<T>({ name, kind, facts = {} }: Step, work: () => Promise<T>, terms: Terms<T>): Promise<T> {
    const { SpanKind, SpanStatusCode } = this.api;
    const { root = false, tell } = terms;
    const options = { kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes: facts, root };
    return this.tracer.startActiveSpan(name, options, async (span) => {
      try {
        const result = await work();
        const attributes = tell?.(result) ?? {};
        span.setAttributes(attributes);
        if ('error.type' in attributes) span.setStatus({ code: SpanStatusCode.ERROR });
        return result;
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', typeOf(error));
        throw error;
      } finally {
        span.end();
      }
    });
  }
}

function traceHeaders(headers: RequestHeaders): Record<string, unknown> {
  return Object.fromEntries(INCOMING.map((name) => [name, headers[name]]));
}

/** `gateway_timeout`, `ECONNREFUSED`, `ER_DUP_ENTRY`, `TypeError` */
function typeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  return [code, name].find((candidate) => typeof candidate === 'string') ?? typeof error;
}
