import { cacheFor } from './cache-for.mjs';
import { iso, json, PER_PAGE, pageOf, paginationMeta, sendData, sendError } from './answers.mjs';

const COLUMNS = `p.id, p.slug, p.name, p.short_description, p.description, p.visibility, p.approval, p.thumbnail_url,
  p.custom_attributes, p.spec_hash, p.created_at, p.updated_at`;
const TOTAL_KEPT_MS = 1000;

/** Ids of the page from the covering index first, whole rows only for them. */
const LIST = (condition) => `SELECT ${COLUMNS} FROM (
    SELECT id, created_at FROM portal_products WHERE visibility = 'public' ${condition}
    ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?
  ) page JOIN portal_products p ON p.id = page.id ORDER BY page.created_at DESC, page.id DESC`;
const FIRST = LIST('');
const AFTER = LIST('AND created_at <= ? AND (created_at < ? OR id < ?)');

const RELATIONS = (count) => {
  const ids = Array(count).fill('?').join(', ');
  return `SELECT link.product_id, c.id, c.slug, c.name, 1 AS is_category
      FROM portal_category_products link JOIN portal_categories c ON c.id = link.category_id
      WHERE link.product_id IN (${ids})
    UNION ALL SELECT product_id, NULL, tag, NULL, 0 FROM portal_product_tags WHERE product_id IN (${ids})`;
};

const ENDING = (count) => `SELECT product_id, state, deprecated_at, sunset_at, replacement_url, guide_url, description
    FROM portal_deprecations WHERE product_id IN (${Array(count).fill('?').join(', ')})
      AND version IS NULL AND method IS NULL AND state IN ('announced', 'retired')`;

/** The public part of the catalog: the list by page and by cursor, and one product. */
export function productHandlers(database, { issuer, prefix }) {
  const base = `${issuer}${prefix}/api-products`;
  const countPublic = cacheFor(TOTAL_KEPT_MS, async () => {
    const [row] = await database.select(
      "SELECT COUNT(*) AS total FROM portal_products WHERE visibility = 'public'",
      [],
    );
    return row.total;
  });

  async function list(request, response) {
    const wanted = pageOf(request.query);
    const [rows, total] = await Promise.all([readPage(database, wanted), wanted.page === null ? null : countPublic()]);
    const products = await withRelations(database, rows.slice(0, PER_PAGE), prefix);
    sendData(response, products, '', paginationMeta(base, wanted, rows, total));
  }

  async function show(request, response) {
    const { id } = request.params;
    const column = /^\d+$/.test(id) ? 'id' : 'slug';
    const sql = `SELECT ${COLUMNS} FROM portal_products p WHERE p.${column} = ? AND p.visibility = 'public'`;
    const [product] = await withRelations(database, await database.select(sql, [id]), prefix);
    if (product) sendData(response, product);
    else sendError(response, 404, 'Not found.');
  }

  return { list, show };
}

function readPage(database, { page, after }) {
  if (after === null) return database.select(FIRST, [PER_PAGE + 1, (page - 1) * PER_PAGE]);
  const [time, id] = after;
  const date = new Date(`${time.replace(' ', 'T')}Z`);
  return database.select(AFTER, [date, date, id, PER_PAGE + 1, 0]);
}

async function withRelations(database, rows, prefix) {
  if (rows.length === 0) return [];
  const products = new Map(rows.map((row) => [row.id, present(row, prefix)]));
  const ids = [...products.keys()];
  for (const row of await database.select(RELATIONS(ids.length), [...ids, ...ids])) {
    const { categories, tags } = products.get(row.product_id);
    if (row.is_category) categories.push({ id: row.id, slug: row.slug, name: row.name });
    else tags.push(row.slug);
  }
  for (const { product_id: id, ...terms } of await database.select(ENDING(ids.length), ids)) {
    const dates = { deprecated_at: iso(terms.deprecated_at), sunset_at: iso(terms.sunset_at) };
    products.get(id).deprecation = { ...terms, ...dates };
  }
  for (const { categories, tags } of products.values()) {
    categories.sort((a, b) => (a.name < b.name ? -1 : 1));
    tags.sort();
  }
  return [...products.values()];
}

function present(row, prefix) {
  const hasSpec = row.spec_hash !== null;
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    short_description: row.short_description,
    description: row.description,
    visibility: row.visibility,
    approval: row.approval,
    has_spec: hasSpec,
    spec_url: hasSpec ? `${prefix}/api-products/${row.slug}/spec` : null,
    tags: [],
    thumbnail_url: row.thumbnail_url,
    custom_attributes: json(row.custom_attributes),
    categories: [],
    deprecation: null,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}
