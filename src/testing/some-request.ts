import { randomInt, randomUUID } from 'node:crypto';
import type { RequestInfo } from '../core/index.js';

/** A request from a new IP address, so that checks do not share rate limits. */
export function someRequest(): RequestInfo {
  const byte = () => randomInt(1, 255);
  return { requestId: randomUUID(), ip: `10.${byte()}.${byte()}.${byte()}`, userAgent: 'portalkit/testing' };
}
