import type { DocumentIndex } from '../../domain/catalog/index.js';
import type { PageRequest } from '../../http/index.js';
import { NotFoundError } from '../../core/index.js';
import { Download } from '../page.js';

/** Longest pointer that is resolved. */
const LONGEST_POINTER = 2_000;
/** Longest question of a search. */
const LONGEST_QUESTION = 200;
const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  // The URL contains the hash of the document. Not for shared caches: some documents are not public.
  'Cache-Control': 'private, max-age=31536000, immutable',
};

/**
 * A fragment of a document for the script of its reference: `index`, the number of an operation, `schema?ref=#/…`, or
 * `search?q=…`.
 * @throws NotFoundError
 */
export function serveIndex(index: DocumentIndex | null, part: string, { query }: Pick<PageRequest, 'query'>): Download {
  const asked = { pointer: query.get('ref')?.at(-1) ?? '', question: query.get('q')?.at(-1) ?? '' };
  const body = index && fragmentOf(index, part, asked);
  if (!body) throw new NotFoundError();
  return new Download(body, HEADERS);
}

function fragmentOf(
  index: DocumentIndex,
  part: string,
  { pointer, question }: { pointer: string; question: string },
): Buffer | null {
  if (part === 'index') return index.index;
  if (part === 'schema') return pointer.length > LONGEST_POINTER ? null : index.schema(pointer);
  if (part === 'search')
    return Buffer.from(JSON.stringify({ hits: index.search.find(question.slice(0, LONGEST_QUESTION)) }));
  return /^\d{1,6}$/.test(part) ? index.operation(Number(part)) : null;
}
