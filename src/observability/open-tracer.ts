import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Api from '@opentelemetry/api';
import { ConfigurationError, type Tracer } from '../core/index.js';
import { readManifest } from '../core/manifest.js';
import { OpenTelemetryTracer } from './opentelemetry-tracer.js';

const PACKAGE = '@opentelemetry/api';
const SCOPE = 'portalkit';

/**
 * Tells the SDK that the host has started, or will start, what the portal does.
 * @param root folder of the host project
 * @throws ConfigurationError when the package is not installed
 */
export function openTracer(root: string): Tracer {
  return new OpenTelemetryTracer(loadApi(root), SCOPE, readManifest().version);
}

/** Whether an SDK takes the spans at this moment. Without one, or with one of another major version, they go nowhere. */
export function isListening(root: string): boolean {
  const { trace, isSpanContextValid } = loadApi(root);
  return isSpanContextValid(trace.getTracer(SCOPE).startSpan('start', { root: true }).spanContext());
}

// The host's copy before any other: an SDK is not seen through a newer one than it was registered with.
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
