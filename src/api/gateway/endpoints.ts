import type { KeyVerifier } from '../../domain/apps/index.js';
import type { DecidedCall } from '../../domain/usage/index.js';
import type { Endpoint, EndpointRequest, RawReply } from '../../http/index.js';
import type { Logger } from '../../core/index.js';
import { askerCheck, type AskingProxyRules } from './verify-caller.js';
import { decisionReply, denyReply } from './decision-reply.js';
import { sentKey, readSingle } from './sent-key.js';

export interface GatewayEndpointsParts extends AskingProxyRules {
  /** `verify.path` */
  readonly path: string;
  /** null when the configured gateway checks keys itself. */
  readonly verifier: () => Promise<KeyVerifier | null>;
  /** Counts what was decided; null: nothing is counted. */
  readonly count: ((call: DecidedCall) => void) | null;
  readonly logger: Logger;
}

/** An API call that a proxy asks about. */
interface Call {
  /** Path and query of the call. */
  readonly uri: string;
  /** Slug of the required product; null: any. */
  readonly product: string | null;
}

const EXT_AUTHZ_PATH = '/gateway/ext-authz';
/** Stands for "any product" where a slug is expected. */
const ANY_PRODUCT = '-';

/**
 * Two entry points to one decision. Proxies describe the original call in two ways, and guessing between them would let
 * clients forge it (gateways.md, E1): the verify path reads only `X-Forwarded-Uri`, `/gateway/ext-authz` only the rest
 * of the path.
 */
export function gatewayEndpoints(parts: GatewayEndpointsParts): Endpoint[] {
  return [
    { paths: [parts.path], handle: answerWith(parts, (request) => forwardedCall(request, parts.path)) },
    { paths: [EXT_AUTHZ_PATH], handle: answerWith(parts, appendedCall) },
  ];
}

function answerWith(
  { verifier, count, logger, ...rules }: GatewayEndpointsParts,
  read: (request: EndpointRequest) => Call,
): (request: EndpointRequest) => Promise<RawReply> {
  const refuse = askerCheck(rules);
  const warn = once((reason: string) =>
    logger.warn(
      { reason, fix: 'set verify.secret and send it as X-Portal-Verify-Secret' },
      'a gateway may not ask here',
    ),
  );
  return async (request) => {
    const refusal = refuse(request);
    if (refusal) {
      warn(refusal);
      return denyReply(403, refusal);
    }
    try {
      const decider = await verifier();
      if (!decider) return denyReply(503, 'not_available');
      const { uri, product } = read(request);
      const decision = await decider.verify(sentKey(request.headers, uri), product);
      count?.({ decision, product, caller: callerOf(request) });
      return decisionReply(decision);
    } catch (error) {
      logger.error({ err: error, request_id: request.requestId }, 'a key could not be checked; the door stays shut');
      return denyReply(503, 'unavailable');
    }
  };
}

/** `/gateway/verify` and `/gateway/verify/{slug}`. */
function forwardedCall(request: EndpointRequest, path: string): Call {
  const [slug = ''] = restOfPath(request.url, path).split('/');
  return { uri: readSingle(request.headers['x-forwarded-uri']) ?? '', product: productOf(slug) };
}

/** `/gateway/ext-authz/{slug}/the/call?with=query`; without a slug there is no call. */
function appendedCall(request: EndpointRequest): Call {
  const rest = restOfPath(request.url, EXT_AUTHZ_PATH);
  const [slug = ''] = rest.split('/');
  return { uri: rest.slice(slug.length) + queryOf(request.url), product: productOf(slug) };
}

// What the asking proxy has added, which is the last one; nginx, as documented, tells none.
function callerOf({ headers }: EndpointRequest): string | undefined {
  return readSingle(headers['x-forwarded-for'])?.split(',').at(-1)?.trim();
}

function productOf(segment: string): string | null {
  return segment === '' || segment === ANY_PRODUCT ? null : segment;
}

function restOfPath(url: string, prefix: string): string {
  return pathOf(url).slice(prefix.length).replace(/^\//, '');
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
}

function once<A>(run: (argument: A) => void): (argument: A) => void {
  let isDone = false;
  return (argument) => {
    if (isDone) return;
    isDone = true;
    run(argument);
  };
}
