import { Joi, RawReply } from 'portalkit';

export interface Resource {
  readonly type: string;
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const resource = Joi.object({
  type: Joi.string().required(),
  id: Joi.string().required(),
  attributes: Joi.object().unknown().required(),
}).label('Resource');

/** For the documentation of what {@link document} answers. */
export const documentReply = Joi.object({
  data: Joi.alternatives(resource, Joi.array().items(resource)).required(),
  meta: Joi.object().unknown(),
}).label('Document');

/** A JSON:API document instead of the envelope. */
export function document(
  status: number,
  data: Resource | readonly Resource[],
  meta?: Readonly<Record<string, unknown>>,
): RawReply {
  const body = JSON.stringify({ data, ...(meta && { meta }) });
  return new RawReply(status, body, { 'content-type': 'application/vnd.api+json', 'cache-control': 'no-store' });
}
