// Fills a database for the benchmark: users, products with two categories each, an admin, a signed-in developer and a key.
//   node bench/seed.mjs --database sqlite:/tmp/bench.sqlite [--rows 10000]
import { parseArgs } from 'node:util';
import { startedDirectly } from '../scripts/demo/listen.mjs';
import { createPortal } from '../dist-test/src/portal.js';
import { newSettings, portalConfig } from './support/settings.mjs';

const CATEGORIES = 20;
const BATCH = 500;
const BATCHES_PER_TRANSACTION = 20;
export const PASSWORD = 'correct horse battery staple';
/** Of {@link PASSWORD}. */
const PASSWORD_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$cArBsM0NIWmK/DSm+cX9LA$g3VioDum7u+jIr+fYdfuSqQStP7UZM1HAYWqYApdaIA';
const DESCRIPTION = 'Moves money between accounts, settled in seconds, with a receipt for every step. '
  .repeat(13)
  .slice(0, 1024);
const REQUEST = { requestId: 'bench-seed', ip: '127.0.0.1', userAgent: 'bench' };

/**
 * Migrates and fills an empty database, past the services where thousands of rows are written and through them where
 * something is signed or sealed.
 * @param {{ databaseUrl: string, settings: object, rows?: number }} task
 * @returns what a client of the benchmark knows: addresses, tokens, a key
 */
export async function seed({ databaseUrl, settings, rows = 10_000 }) {
  const portal = createPortal({ config: portalConfig(settings, databaseUrl) });
  try {
    await portal.migrator.up();
    await portal.services.rbac.seed();
    await fill(portal.database, rows);
    // Otherwise the portal would index beside what is measured, for as long as the run takes.
    if (settings.search) await portal.services.search.index.rebuild();
    return await signIn(portal, rows);
  } finally {
    await portal.close();
  }
}

async function fill(database, rows) {
  const stamps = ['created_at', 'updated_at'];
  const texts = ['slug', 'name', 'short_description', 'description'];
  await insertRows(database, 'portal_categories', ['id', ...texts, ...stamps], CATEGORIES, categoryRow);
  const product = ['id', ...texts, 'visibility', 'approval', 'gateway_product_id', 'custom_attributes', ...stamps];
  await insertRows(database, 'portal_products', product, rows, productRow);
  await insertRows(database, 'portal_category_products', ['product_id', 'category_id'], 2 * rows, categoryLink);
  const user = ['id', 'email', 'first_name', 'last_name', 'password_hash', 'status', 'custom_attributes', ...stamps];
  await insertRows(database, 'portal_users', user, rows, userRow);
  // InnoDB does this by itself, but some seconds later.
  if (database.dialect === 'mysql') {
    await database.select('ANALYZE TABLE portal_products, portal_category_products, portal_users');
  }
}

/** Many rows per statement, many statements per transaction. */
export async function insertRows(database, table, columns, count, rowOf) {
  const tuple = `(${columns.map(() => '?').join(', ')})`;
  const head = `INSERT INTO ${table} (${columns.join(', ')}) VALUES `;
  const perTransaction = BATCH * BATCHES_PER_TRANSACTION;
  for (let first = 1; first <= count; first += perTransaction) {
    const end = Math.min(count, first + perTransaction - 1);
    await database.transaction(async (transaction) => {
      for (let next = first; next <= end; next += BATCH) {
        const size = Math.min(BATCH, end - next + 1);
        const values = Array.from({ length: size }, (_, index) => rowOf(next + index)).flat();
        await database.execute(head + Array(size).fill(tuple).join(', '), values, { transaction });
      }
    });
  }
}

/** One row a minute, so that the order of time is not a tie. */
export function moment(number) {
  return new Date(Date.UTC(2020, 0, 1) + number * 60_000);
}

function categoryRow(number) {
  const name = `Category ${number}`;
  return [number, `category-${number}`, name, `About ${name}.`, '', moment(number), moment(number)];
}

// 19 of 20 are public; of the others two of three are private and one a draft.
function productRow(number) {
  const visibility = number % 20 !== 0 ? 'public' : number % 60 === 0 ? 'draft' : 'private';
  return [
    ...[number, `product-${number}`, `Product ${number}`, `The API of product ${number}.`, DESCRIPTION, visibility],
    ...[number % 4 === 0 ? 'manual' : 'auto', `product-${number}`, '{"tier":"gold"}', moment(number), moment(number)],
  ];
}

function categoryLink(number) {
  const product = Math.ceil(number / 2);
  const first = product % CATEGORIES;
  return [product, 1 + (number % 2 === 0 ? first : (first + 7) % CATEGORIES)];
}

export function userRow(number) {
  const status = number % 10 === 0 ? 'pending' : 'active';
  const names = ['Ada', `Lovelace ${number}`];
  const created = moment(number);
  return [
    ...[number, `developer${number}@example.com`, ...names, PASSWORD_HASH, status, '{"company":"Analytical Engines"}'],
    ...[created, created],
  ];
}

async function signIn({ services }, rows) {
  const { accounts, administration, auth, apps } = services;
  const adminInput = { name: 'Grace Hopper', email: 'grace@example.com', password: PASSWORD, roles: ['admin'] };
  const admin = await administration.admins.create(adminInput, 'operator');
  const user = await accounts.users.find(1);
  const { credentials } = await apps.apps.create(
    user,
    { name: 'bench', products: ['product-1', 'product-2', 'product-3'] },
    { type: 'developer', id: user.id },
  );
  return {
    rows,
    password: PASSWORD,
    user: { id: user.id, email: user.email, token: await tokenOf(auth, user.email, 'consumer') },
    admin: { id: admin.id, email: admin.email, token: await tokenOf(auth, admin.email, 'admin') },
    key: credentials[0].key.consumerKey,
  };
}

async function tokenOf({ flow }, email, context) {
  const outcome = await flow.attemptLogin({ email, password: PASSWORD }, context, REQUEST);
  return outcome.tokens.accessToken;
}

if (startedDirectly(import.meta.url)) {
  const { values } = parseArgs({ options: { database: { type: 'string' }, rows: { type: 'string' } } });
  if (!values.database) throw new Error('--database is missing: sqlite:<file> or mysql://user@host:port/name');
  const settings = newSettings();
  const rows = Number(values.rows ?? 10_000);
  const client = await seed({ databaseUrl: values.database, settings, rows });
  console.log(JSON.stringify({ settings, client }, null, 2));
}
