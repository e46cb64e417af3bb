import type { KeyDecision, KeyVerifier } from '../../domain/apps/index.js';
import type { LifecycleCall, Lifecycles } from '../../domain/catalog/index.js';
import type { DecidedCall, KeylessCall, LimitDecision, ReportIntake } from '../../domain/usage/index.js';
import type { Endpoint, EndpointRequest, RawReply } from '../../http/index.js';
import type { Logger } from '../../core/index.js';
import { applyLifecycle } from './call-lifecycle.js';
import { askerCheck, type AskingProxyRules } from './verify-caller.js';
import { decisionReply, denyReply, type LimitStatus } from './decision-reply.js';
import { readSentKey, readSingle } from './sent-key.js';
import { usageEndpoint } from './usage-endpoint.js';

export interface GatewayEndpointsParts extends AskingProxyRules {
  /** `verify.path` */
  readonly path: string;
  /** null when the configured gateway checks keys itself. */
  readonly verifier: () => Promise<KeyVerifier | null>;
  /** Holds a call whose key opens against its plan; null: no limits. Never throws. */
  readonly limit: (decision: KeyDecision) => Promise<LimitDecision | null>;
  /** Lets a call without a key pass to a product that needs none; null: it needs one. */
  readonly keyless: (product: string, caller: string | undefined) => Promise<KeylessCall | null>;
  /** What of products ends. */
  readonly lifecycles: Pick<Lifecycles, 'read'>;
  /** Counts calls of what ends; null: nothing is counted. */
  readonly countEnding: ((deprecationIds: readonly number[], app: string | undefined) => void) | null;
  /** Counts what was decided; null: nothing is counted. */
  readonly count: ((call: DecidedCall) => void) | null;
  /** Takes reports of what was answered; null: none are taken. */
  readonly intake: ReportIntake | null;
  readonly logger: Logger;
}

/** An API call that a proxy asks about. */
interface Call extends LifecycleCall {
  /** Slug of the required product; null: any. */
  readonly product: string | null;
  /** What the proxy can pass on when a limit refuses. */
  readonly limitStatus: LimitStatus;
}

const EXT_AUTHZ_PATH = '/gateway/ext-authz';
/** Stands for "any product" where a slug is expected. */
const ANY_PRODUCT = '-';
/** After the product: the proxy passes 429 on. In the path, which no client can change (gateways.md, E2). */
const LIMITED = '429';

/**
 * Two entry points to one decision. Proxies describe the original call in two ways, and guessing between them would let
 * clients forge it (gateways.md, E1): the verify path reads only `X-Forwarded-Uri`, `/gateway/ext-authz` only the rest
 * of the path. Who may ask may also report.
 */
export function gatewayEndpoints(parts: GatewayEndpointsParts): Endpoint[] {
  return [
    { paths: [parts.path], handle: answerWith(parts, (request) => readForwardedCall(request, parts.path)) },
    { paths: [EXT_AUTHZ_PATH], handle: answerWith(parts, readAppendedCall) },
    ...(parts.intake ? [usageEndpoint({ ...parts, intake: parts.intake })] : []),
  ];
}

function answerWith(
  { verifier, limit, keyless, lifecycles, count, countEnding, logger, ...rules }: GatewayEndpointsParts,
  read: (request: EndpointRequest) => Call,
): (request: EndpointRequest) => Promise<RawReply> {
  const refuse = askerCheck(rules);
  const warn = runOnce((reason: string) =>
    logger.warn(
      { reason, fix: 'set verify.secret and send it as X-Portal-Verify-Secret' },
      'a gateway may not ask here',
    ),
  );
  // Once opened a gateway stays open, and proxies ask before every call.
  let opened: KeyVerifier | null = null;
  return async (request) => {
    const refusal = refuse(request);
    if (refusal) {
      warn(refusal);
      return denyReply(403, refusal);
    }
    try {
      opened ??= await verifier();
      if (!opened) return denyReply(503, 'not_available');
      const call = read(request);
      const { uri, product, limitStatus } = call;
      const caller = callerOf(request);
      const asked = await opened.verify(readSentKey(request.headers, uri), product);
      const isWithout = !asked.allowed && asked.reason === 'missing_key' && product !== null;
      const open = isWithout ? await keyless(product, caller) : null;
      const { decision, lifecycle } = await applyLifecycle(lifecycles, open?.decision ?? asked, product, call);
      const hasPlan = !open && decision.allowed && decision.plan !== undefined;
      const limits = hasPlan ? await limit(decision) : (open?.limits ?? null);
      count?.({ decision, limits, product, caller });
      if (lifecycle) countEnding?.(lifecycle.deprecationIds, decision.appId);
      return decisionReply({ decision, lifecycle }, limits, limitStatus);
    } catch (error) {
      logger.error({ err: error, request_id: request.requestId }, 'a key could not be checked; the door stays shut');
      return denyReply(503, 'unavailable');
    }
  };
}

/** `/gateway/verify`, `/gateway/verify/{slug}`, `/gateway/verify/{slug}@{version}`, and each with `/429` behind it. */
function readForwardedCall(request: EndpointRequest, path: string): Call {
  const [name = '', status] = restOfPath(request.url, path).split('/');
  const uri = readSingle(request.headers['x-forwarded-uri']) ?? '';
  const method = readSingle(request.headers['x-forwarded-method'])?.toUpperCase() ?? null;
  return { uri, method, ...productOf(name), limitStatus: status === LIMITED ? 429 : 403 };
}

/** `/gateway/ext-authz/{slug}/the/call?with=query`; without a slug there is no call. */
function readAppendedCall(request: EndpointRequest): Call {
  const rest = restOfPath(request.url, EXT_AUTHZ_PATH);
  const [name = ''] = rest.split('/');
  const uri = rest.slice(name.length) + queryOf(request.url);
  return { uri, method: request.method.toUpperCase(), ...productOf(name), limitStatus: 429 };
}

// What the asking proxy has added, which is the last one: whatever stands before it may be made up.
function callerOf({ headers }: EndpointRequest): string | undefined {
  return readSingle(headers['x-forwarded-for'])?.split(',').at(-1)?.trim();
}

/** `payments` or `payments@v2`. */
function productOf(segment: string): Pick<Call, 'product' | 'version'> {
  const [slug = '', version] = segment.split('@', 2);
  return { product: slug === '' || slug === ANY_PRODUCT ? null : slug, version: version ?? null };
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

function runOnce<A>(run: (argument: A) => void): (argument: A) => void {
  let isDone = false;
  return (argument) => {
    if (isDone) return;
    isDone = true;
    run(argument);
  };
}
