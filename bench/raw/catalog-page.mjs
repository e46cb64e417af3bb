import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import { productMark } from '../../dist-test/src/theme/format/product-cards.js';
import { cacheFor } from './cache-for.mjs';

const PER_PAGE = 12;
const KEPT_MS = 1000;
const CARDS = `SELECT p.id, p.slug, p.name, p.short_description, p.thumbnail_url, p.approval FROM (
    SELECT id, name FROM portal_products WHERE visibility = 'public' ORDER BY name, id LIMIT ? OFFSET ?
  ) page JOIN portal_products p ON p.id = page.id ORDER BY page.name, page.id`;
const COUNTS = `SELECT link.category_id AS id, COUNT(*) AS products FROM portal_category_products link
  JOIN portal_products p ON p.id = link.product_id WHERE p.visibility = 'public' GROUP BY link.category_id`;
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";
const LOCALES = [
  { code: 'en', name: 'English', isCurrent: true },
  { code: 'ar', name: 'العربية', isCurrent: false },
];

/** The catalog as a page of one language, with the menu and the name written into it. */
export function catalogPage(database) {
  const render = prepareTemplates();
  const number = new Intl.NumberFormat('en');
  const countPublic = cacheFor(KEPT_MS, async () => {
    const sql = "SELECT COUNT(*) AS total FROM portal_products WHERE visibility = 'public'";
    const [{ total }] = await database.select(sql, []);
    return total;
  });
  const countByCategory = cacheFor(
    KEPT_MS,
    async () => new Map((await database.select(COUNTS, [])).map(({ id, products }) => [id, products])),
  );

  return async (request, response) => {
    const page = Math.min(1000, Math.max(1, Number(request.query.page) || 1));
    const [rows, total, categories, counts] = await Promise.all([
      database.select(CARDS, [PER_PAGE + 1, (page - 1) * PER_PAGE]),
      countPublic(),
      database.select('SELECT id, slug, name FROM portal_categories ORDER BY name, id LIMIT 50', []),
      countByCategory(),
    ]);
    const address = (wanted) => (wanted > 1 ? `/portal/products?page=${wanted}` : '/portal/products');
    const html = render({
      ...{ title: 'APIs', name: 'Developer Portal', path: '/portal/products', locales: LOCALES },
      products: await withTags(database, rows.slice(0, PER_PAGE)),
      categories: categories
        .map((category) => ({ ...category, products: counts.get(category.id) ?? 0 }))
        .filter(({ products }) => products > 0),
      total: number.format(total),
      page: number.format(page),
      pages: number.format(Math.ceil(total / PER_PAGE)),
      previous: page > 1 ? address(page - 1) : null,
      next: rows.length > PER_PAGE ? address(page + 1) : null,
    });
    response.set({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'same-origin',
      'Content-Language': 'en',
    });
    response.end(html);
  };
}

async function withTags(database, rows) {
  const tags = new Map(rows.map(({ id }) => [id, []]));
  if (rows.length > 0) {
    const sql = `SELECT product_id, tag FROM portal_product_tags WHERE product_id IN (${rows.map(() => '?').join(', ')})`;
    for (const { product_id, tag } of await database.select(sql, [...tags.keys()])) tags.get(product_id).push(tag);
  }
  return rows.map((row) => ({
    ...row,
    tags: tags.get(row.id).sort(),
    mark: productMark(row.slug),
    manual: row.approval === 'manual',
  }));
}

/** Compiled once, as in production. */
function prepareTemplates() {
  const environment = Handlebars.create();
  const compiled = (name) =>
    environment.compile(readFileSync(new URL(`./pages/${name}.hbs`, import.meta.url), 'utf8'), { preventIndent: true });
  for (const name of ['header', 'navigation', 'languages', 'card']) environment.registerPartial(name, compiled(name));
  const [page, layout] = ['catalog', 'layout'].map(compiled);
  return (values) => layout({ ...values, body: page(values) });
}
