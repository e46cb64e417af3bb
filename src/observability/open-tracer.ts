import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Api from '@opentelemetry/api';
import { ConfigurationError, type Tracer } from '../core/index.js';
import { readManifest } from '../core/manifest.js';
import { OpenTelemetryTracer } from './opentelemetry-tracer.js';

const PACKAGE = '@opentelemetry/api';
const SCOPE = 'portalkit';

/**
 * Traces to the SDK that the host has started, or will start.
 * @param root folder of the host project
 * @throws ConfigurationError when the package is not installed
 */
export function openTracer(root: string): Tracer {
  return new OpenTelemetryTracer(loadApi(root), SCOPE, readManifest().version);
}

/**
 * Whether an SDK receives the spans at the moment. Without one, or with one of another major version, they are lost.
 */
export function isListening(root: string): boolean {
  const { trace, isSpanContextValid } = loadApi(root);
  return isSpanContextValid(trace.getTracer(SCOPE).startSpan('start', { root: true }).spanContext());
}

// The host's copy takes precedence: a newer copy than the one an SDK registered with does not see that SDK.
function loadApi(root: string): typeof Api {
  for (const from of [join(root, 'package.json'), import.meta.url]) {
    try {
      return createRequire(from)(PACKAGE) as typeof Api;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  const fix = `npm install ${PACKAGE}, with an SDK as in docs/production.md, or set TRACING_ENABLED=false`;
  throw new ConfigurationError([`tracing.enabled: the package ${PACKAGE} is not installed. Fix: ${fix}.`]);
}
