import { createHash } from 'node:crypto';

/** A document as it is stored, compact JSON or the text of a GraphQL schema, and the SHA-256 of it in hexadecimal. */
export interface StoredSpec {
  readonly document: string;
  readonly hash: string;
}

export function toStoredSpec(document: string): StoredSpec {
  return { document, hash: createHash('sha256').update(document).digest('hex') };
}
