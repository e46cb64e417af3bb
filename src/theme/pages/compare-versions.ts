import type { ConsumerActor } from '../../domain/auth/index.js';
import { viewerOf } from '../../domain/catalog/index.js';
import { NotFoundError } from '../../core/index.js';
import { definePage, View, type Visit } from '../page.js';

type Guest = Visit<ConsumerActor | null>;

/** What callers of a product notice who go from one version to another. */
export const compareVersionsPages = [
  definePage({
    method: 'get',
    path: '/products/:slug/compare',
    audience: 'everyone',
    viewable: true,
    handle: showComparison,
  }),
];

/** From the second latest version to the latest where nobody chose. */
async function showComparison({ services, actor, locale, params, request, words }: Guest): Promise<View> {
  const { products, history, specWords } = services.catalog;
  const product = await products.find(params.slug ?? '', viewerOf(actor), locale);
  const choices = product.versions.filter(({ specHash }) => specHash !== null);
  const choose = (name: string, fallback: number) => {
    const wanted = request.query.get(name)?.at(-1);
    const found = wanted === undefined ? choices[fallback] : choices.find((version) => version.name === wanted);
    if (wanted !== undefined && !found) throw new NotFoundError();
    return found;
  };
  const [from, to] = [choose('from', 1), choose('to', 0)];
  const isChosen = from?.specHash != null && to?.specHash != null;
  const diff = isChosen ? await history.compare(product, from.specHash ?? '', to.specHash ?? '') : null;
  const shown = diff && {
    ...{ ...diff.counts, more: diff.more, is_complete: diff.isComplete },
    changes: await specWords.describe(diff.changes, locale),
  };
  const title = (await words('versions')).compare ?? '';
  const offer = (version: typeof from) => choices.map(({ name }) => ({ name, isChosen: name === version?.name }));
  const values = { product, from: offer(from), to: offer(to), isChosen, diff: shown };
  return new View('products/compare', values, { heading: `${title} · ${product.name}` });
}
