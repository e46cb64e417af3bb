import { viewerOf, type ProductRecord } from '../../../domain/catalog/index.js';
import { isHeld } from '../../../http/index.js';
import { NotFoundError } from '../../../kernel/index.js';
import { definePage, Download, type Visit } from '../../page.js';
import { serveDigest } from '../../format/reference-data.js';

type Guest = Visit<{ readonly id: number } | null>;

export type Format = 'json' | 'yaml';

const TYPES = { json: 'application/json; charset=utf-8', yaml: 'application/yaml; charset=utf-8' };
const SLICE = 65_536;

/** The pieces that the script of the reference asks for; `hash` is in their address, so that they may be kept. */
export const documentPages = [
  definePage({
    method: 'get',
    path: '/products/:slug/spec/data/:hash/:part',
    audience: 'everyone',
    handle: async ({ services, actor, locale, params, request }: Guest) => {
      const { products } = services.catalog;
      const viewer = viewerOf(actor);
      const product = await products.find(params.slug ?? '', viewer, locale);
      if (product.specHash === null || product.specHash !== params.hash) throw new NotFoundError();
      const digest = await products.digest(product, viewer);
      return serveDigest(digest, params.part ?? '', request);
    },
  }),
];

/** The stored document as a file, sent in slices, and not at all to who has it already. @throws NotFoundError */
export async function downloadDocument(
  { services, actor, request }: Guest,
  product: ProductRecord,
  format: Format,
): Promise<Download> {
  const { products } = services.catalog;
  const tagOf = (hash: string) => `${hash}${format === 'yaml' ? '-yaml' : ''}`;
  const isKnown = isHeld(request.headers['if-none-match'], tagOf(product.specHash ?? ''));
  const { hash, document } = await products.spec(product.id, viewerOf(actor), isKnown ? (product.specHash ?? '') : '');
  const common = { ETag: `"${tagOf(hash)}"`, 'Cache-Control': 'private, no-cache' };
  if (document === null) return new Download('', common, 304);
  const text = format === 'json' ? document : await products.specAsYaml({ document, hash });
  return new Download(slices(text), {
    ...common,
    'Content-Type': TYPES[format],
    'Content-Disposition': `attachment; filename="${product.slug}.${format}"`,
  });
}

// A large document at once would hold up everybody else while it is encoded.
async function* slices(text: string): AsyncGenerator<string> {
  let at = 0;
  do {
    let end = Math.min(at + SLICE, text.length);
    // Never between the halves of a character.
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800 && end < text.length) end += 1;
    yield text.slice(at, end);
    at = end;
    await Promise.resolve();
  } while (at < text.length);
}
