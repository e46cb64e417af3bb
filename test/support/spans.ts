import { setImmediate } from 'node:timers/promises';
import { context, propagation, SpanKind, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-node';

/** What a test looks at of a span. */
export interface SeenSpan {
  readonly name: string;
  readonly kind: string;
  readonly id: string;
  readonly trace: string;
  readonly parent: string | undefined;
  readonly failed: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** An SDK like a host's, that keeps the spans. One at a time: until its end it is registered for the whole process. */
export class SpanBox {
  private readonly exporter = new InMemorySpanExporter();
  private readonly provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.exporter)] });

  constructor() {
    this.provider.register();
  }

  /** What ended since the last time. */
  take(): SeenSpan[] {
    const spans = this.exporter.getFinishedSpans().map(seen);
    this.exporter.reset();
    return spans;
  }

  /** Waits for the span of a request: it ends after its client has the answer. @returns it, and all before it */
  async until(name: string): Promise<{ readonly span: SeenSpan; readonly spans: readonly SeenSpan[] }> {
    for (const spans: SeenSpan[] = []; ; await setImmediate()) {
      spans.push(...this.take());
      const span = spans.find((candidate) => candidate.name === name);
      if (span) return { span, spans };
    }
  }

  stop(): Promise<void> {
    for (const registered of [trace, context, propagation]) registered.disable();
    return this.provider.shutdown();
  }
}

function seen(span: ReadableSpan): SeenSpan {
  const { traceId, spanId } = span.spanContext();
  const shared = { name: span.name, kind: SpanKind[span.kind], id: spanId, trace: traceId };
  const failed = span.status.code === 2;
  return { ...shared, parent: span.parentSpanContext?.spanId, failed, facts: span.attributes };
}
