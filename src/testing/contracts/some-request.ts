import { randomInt, randomUUID } from 'node:crypto';
import type { RequestInfo } from '../../core/index.js';

/** A request from an address of its own, so that the limits of one check do not stop the next. */
export function someRequest(): RequestInfo {
  const byte = () => randomInt(1, 255);
  return { requestId: randomUUID(), ip: `10.${byte()}.${byte()}.${byte()}`, userAgent: 'portalkit/testing' };
}
