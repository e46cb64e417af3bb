import { MOST_REPORT_BYTES, type Receipt, type ReportIntake } from '../../domain/usage/index.js';
import { RawReply, type Endpoint, type EndpointRequest } from '../../http/index.js';
import { PortalError, type Logger } from '../../core/index.js';
import { denyReply } from './decision-reply.js';
import { readSingle } from './sent-key.js';
import { askerCheck, type AskingProxyRules } from './verify-caller.js';

interface UsageEndpointParts extends AskingProxyRules {
  readonly intake: ReportIntake;
  readonly logger: Logger;
}

const PATH = '/gateway/usage';
/** None of these can a page of another site send without being asked first, also not to a portal on the reader's machine. */
const TYPE = /^application\/(?:x-ndjson|ndjson|jsonl|json)\s*(?:;|$)/i;
const NAME = /^[\x21-\x7e]{1,255}$/;
/** A sender that lost its connection, or the database, tries again. */
const RETRY_AFTER_S = 5;

/** Where proxies report what APIs answered, a line of JSON for each call. */
export function usageEndpoint({ intake, logger, ...rules }: UsageEndpointParts): Endpoint {
  const refuse = askerCheck(rules);
  return {
    paths: [PATH],
    async handle(request) {
      const refusal = refuse(request);
      if (refusal) return denyReply(403, refusal);
      const fault = faultOf(request);
      if (fault) return fault;
      try {
        return receiptReply(await intake.receive(request.body(), nameOf(request)));
      } catch (error) {
        if (error instanceof PortalError && error.status < 500) return errorReply(error.status, error.code);
        if (isAborted(error)) return errorReply(400, 'aborted');
        logger.error({ err: error, request_id: request.requestId }, 'a report of calls could not be counted');
        return errorReply(503, 'unavailable', { 'Retry-After': String(RETRY_AFTER_S) });
      }
    },
  };
}

function faultOf({ method, url, headers }: EndpointRequest): RawReply | null {
  if (url.split('?', 1)[0] !== PATH) return errorReply(404, 'not_found');
  if (method !== 'POST') return errorReply(405, 'method_not_allowed', { Allow: 'POST' });
  const encoding = readSingle(headers['content-encoding']) ?? 'identity';
  if (!TYPE.test(readSingle(headers['content-type']) ?? '') || encoding !== 'identity') {
    return errorReply(415, 'unsupported_media_type');
  }
  if (Number(headers['content-length'] ?? 0) > MOST_REPORT_BYTES) return errorReply(413, 'report_too_large');
  const name = readSingle(headers['idempotency-key']);
  return name === undefined || NAME.test(name) ? null : errorReply(400, 'bad_idempotency_key');
}

function nameOf({ headers }: EndpointRequest): string | null {
  return readSingle(headers['idempotency-key']) ?? null;
}

// A report without one good line is most likely none: its sender hears of it.
function receiptReply({ lines, counted, isRepeated, rejectedLines, rejections }: Receipt): RawReply {
  const errors = rejections.map(({ line, fault, message, lines: times }) => {
    return { line, lines: times, code: fault, message };
  });
  const status = rejectedLines > 0 && rejectedLines === lines && !isRepeated ? 422 : 200;
  return jsonReply(status, { lines, counted, repeated: isRepeated, rejected: rejectedLines, errors });
}

/** What is left of the body is not read, so the connection ends. */
function errorReply(status: number, error: string, headers: Readonly<Record<string, string>> = {}): RawReply {
  return jsonReply(status, { error }, { Connection: 'close', ...headers });
}

function jsonReply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): RawReply {
  const json = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };
  return new RawReply(status, JSON.stringify(body), { ...json, ...headers });
}

function isAborted(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ECONNRESET';
}
