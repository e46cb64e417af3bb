import type { ServerResponse } from 'node:http';
import type { FakeApigeeAnswer } from './api-request.js';
import { ApigeeFault, faultBody } from './apigee-fault.js';
import type { ApigeeFlavour } from './apigee-model.js';

/** A failure to simulate. */
export interface FakeApigeeFailure {
  /**
   * `hang`: never answers. `reset`: drops the connection. `status`: answers with `status` and the platform's error body.
   * `html`: an HTML page with `status`, as from an intermediate proxy. `truncated`: half of the JSON. `huge`: 10 MB.
   * `slow`: the right answer after `delay` milliseconds.
   */
  readonly kind: 'hang' | 'reset' | 'status' | 'html' | 'truncated' | 'huge' | 'slow';
  /** Whether the request takes effect and only its answer is lost. Always the case for `slow`. */
  readonly applied?: boolean;
  readonly method?: string;
  /** Only requests whose raw path and query match; a string is the source of a regular expression. */
  readonly path?: RegExp | string;
  /** Number of requests to fail: 1 by default, Infinity for all. */
  readonly times?: number;
  /** Number of matching requests to let pass first. */
  readonly skip?: number;
  /** For the kinds `status` and `html`; 500 by default. */
  readonly status?: number;
  /** `Retry-After` in seconds. */
  readonly retryAfter?: number;
  /** Error code in the body, for the kind `status`. */
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

/** Failures to come; the first one that matches a request applies. */
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

/** The result of a request; `html` is the page that X sends for an unknown path. */
export type FakeApigeeResult = FakeApigeeAnswer | 'html';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const HUGE = 10 * 1024 * 1024;

export function sendResponse(response: ServerResponse, result: FakeApigeeResult, status = 404): void {
  if (result === 'html') {
    response.writeHead(status, { 'Content-Type': 'text/html; charset=UTF-8' });
    response.end(`<!DOCTYPE html><title>Error ${status}</title><p>That’s an error.`);
    return;
  }
  if (result.body === undefined) response.writeHead(result.status).end();
  else response.writeHead(result.status, JSON_TYPE).end(JSON.stringify(result.body));
}

/** @param result of the request, if it took effect despite the failure */
export function misbehave(
  { kind, status = 500, retryAfter, code = 'messaging.adaptors.http.flow.UnexpectedError' }: FakeApigeeFailure,
  response: ServerResponse,
  result: FakeApigeeResult | undefined,
  flavour: ApigeeFlavour,
): void {
  if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
  switch (kind) {
    case 'hang':
      return;
    case 'reset':
      response.destroy();
      return;
    case 'html':
      sendResponse(response, 'html', status);
      return;
    case 'huge':
      response.writeHead(200, JSON_TYPE).end(`{"padding":"${'x'.repeat(HUGE)}"}`);
      return;
    case 'truncated':
      response.writeHead(200, JSON_TYPE).end(cutInHalf(result));
      return;
    default: {
      const fault = new ApigeeFault(status, code, 'The stand-in was told to fail', { isRaisedByProxy: status === 429 });
      sendResponse(response, { status, body: faultBody(fault, flavour, 'stand-in') });
    }
  }
}

function cutInHalf(result: FakeApigeeResult | undefined): string {
  const body = result === undefined || result === 'html' ? undefined : result.body;
  const text = JSON.stringify(body ?? { developer: [] });
  return text.slice(0, Math.ceil(text.length / 2));
}
