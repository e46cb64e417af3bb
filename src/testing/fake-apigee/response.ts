import type { ServerResponse } from 'node:http';
import { ApigeeFault, faultBody } from './apigee-fault.js';
import type { ApigeeFlavour } from './apigee-model.js';
import type { FakeApigeeAnswer } from './api-request.js';
import type { FakeApigeeFailure } from './failures.js';

/** What comes out of a request; `html` is the page that X gives for a path it does not know. */
export type StandInResult = FakeApigeeAnswer | 'html';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const HUGE = 10 * 1024 * 1024;

export function sendResponse(response: ServerResponse, result: StandInResult, status = 404): void {
  if (result === 'html') {
    response.writeHead(status, { 'Content-Type': 'text/html; charset=UTF-8' });
    response.end(`<!DOCTYPE html><title>Error ${status}</title><p>That’s an error.`);
    return;
  }
  if (result.body === undefined) response.writeHead(result.status).end();
  else response.writeHead(result.status, JSON_TYPE).end(JSON.stringify(result.body));
}

/** @param result of what was done all the same; undefined: nothing was */
export function misbehave(
  { kind, status = 500, retryAfter, code = 'messaging.adaptors.http.flow.UnexpectedError' }: FakeApigeeFailure,
  response: ServerResponse,
  result: StandInResult | undefined,
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
      response.writeHead(200, JSON_TYPE).end(half(result));
      return;
    default: {
      const fault = new ApigeeFault(status, code, 'The stand-in was told to fail', { atTheDoor: status === 429 });
      sendResponse(response, { status, body: faultBody(fault, flavour, 'stand-in') });
    }
  }
}

function half(result: StandInResult | undefined): string {
  const body = result === undefined || result === 'html' ? undefined : result.body;
  const text = JSON.stringify(body ?? { developer: [] });
  return text.slice(0, Math.ceil(text.length / 2));
}
