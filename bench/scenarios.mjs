import assert from 'node:assert/strict';
import jwt from 'jsonwebtoken';

/** More pages than the portal keeps in memory, so that each is read from the database. */
const WALKED_PAGES = 500;
const WALK_FROM_PAGE = 100;
const DEEP_PAGE = 600;
const SHOWN_PRODUCTS = 50;
const SIGNED_IN_ACCOUNTS = 400;

/**
 * What is measured. `requests` gives the requests that are sent in turn to one server, `same` compares an answer of both
 * beforehand: a comparison of servers that do not say the same is none.
 */
export const scenarios = {
  list: {
    title: 'list 15 products + categories + total',
    requests: ({ api }) => [{ method: 'GET', path: `${api}/api-products` }],
  },
  product: {
    title: 'one product',
    requests: ({ api }) =>
      // Numbers from 1 on without a multiple of 20, which are the ones that are not public.
      Array.from({ length: SHOWN_PRODUCTS }, (_, index) => 1 + index * 20).map((number) => ({
        method: 'GET',
        path: `${api}/api-products/product-${number}`,
      })),
  },
  me: {
    title: 'me',
    requests: ({ api, tokens }) => [{ method: 'GET', path: `${api}/me`, headers: bearer(tokens.user) }],
  },
  users: {
    title: 'admin list of users + total',
    requests: ({ adminApi, tokens }) => [{ method: 'GET', path: `${adminApi}/users`, headers: bearer(tokens.admin) }],
  },
  deep: {
    title: `page ${DEEP_PAGE} of the products`,
    requests: ({ api }) => [{ method: 'GET', path: `${api}/api-products?page=${DEEP_PAGE}` }],
  },
  cursor: {
    title: 'walk through the products by cursor',
    requests: async ({ api, url, client }) => {
      const requests = [];
      let query = `page=${client.rows < WALKED_PAGES * 15 ? 1 : WALK_FROM_PAGE}`;
      while (requests.length < WALKED_PAGES) {
        const { meta } = await (await fetch(`${url}${api}/api-products?${query}`)).json();
        if (meta.pagination.next_cursor === null) break;
        query = `cursor=${meta.pagination.next_cursor}`;
        requests.push({ method: 'GET', path: `${api}/api-products?${query}` });
      }
      return requests;
    },
  },
  'catalog-page': {
    title: 'catalog page (HTML), 12 products',
    requests: () => [{ method: 'GET', path: '/portal/products' }],
    same: (ours, raw) => assert.equal(markupOf(ours), markupOf(raw)),
  },
  login: {
    title: 'sign-in (argon2id)',
    connections: 4,
    // Accounts that are active, one after the other: attempts at one and the same wait for each other.
    requests: ({ api, client }) =>
      Array.from({ length: SIGNED_IN_ACCOUNTS }, (_, index) => ({
        method: 'POST',
        path: `${api}/auth/login`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: `developer${1 + index * 10}@example.com`, password: client.password }),
      })),
    same: (ours, raw) => assert.deepEqual(Object.keys(ours.json.data), Object.keys(raw.json.data)),
  },
  verify: {
    title: '`/gateway/verify`',
    requests: ({ client }) => [{ method: 'GET', path: '/gateway/verify', headers: { 'x-api-key': client.key } }],
    same: (ours, raw) => {
      assert.deepEqual(ours.json, raw.json);
      assert.deepEqual(identityOf(ours), identityOf(raw));
    },
  },
  'verify-keys': {
    title: '`/gateway/verify`, many keys',
    requests: ({ client }) =>
      client.keys.map((key) => ({ method: 'GET', path: '/gateway/verify', headers: { 'x-api-key': key } })),
  },
};

/** For `npm run bench:usage`, which makes what they need. */
const ELSEWHERE = ['verify-keys'];
export const scenarioNames = Object.keys(scenarios).filter((name) => !ELSEWHERE.includes(name));

const CONNECTIONS = 10;

/** A scenario made ready for one server: what autocannon sends, over how many connections. */
export async function prepare(name, server, { settings, client }) {
  const { requests, connections = CONNECTIONS } = scenarios[name];
  const api = settings.prefix;
  const adminApi = `${api}/${settings.adminPrefix}`;
  const tokens = server.kind === 'raw' ? rawTokens(settings, client) : ownTokens(client);
  return { requests: await requests({ api, adminApi, tokens, client, url: server.url }), connections };
}

/** @throws when both servers do not answer the first request of a scenario alike */
export async function compareAnswers(name, ours, raw) {
  const answers = await Promise.all([answerOf(ours), answerOf(raw)]);
  const { same = samePage } = scenarios[name];
  for (const { status, text } of answers) assert.equal(status, 200, `${name}: ${text}`);
  same(...answers);
}

async function answerOf({ server, load }) {
  const [{ path, ...options }] = load.requests;
  const response = await fetch(server.url + path, options);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: isJson(response) ? JSON.parse(text) : null };
}

function isJson({ headers }) {
  return headers.get('content-type').startsWith('application/json');
}

/** A page as browsers see it: spaces between tags, the spelling of characters and the versions of files apart. */
function markupOf({ text }) {
  return text
    .replaceAll('&#x3D;', '=')
    .replace(/\?v=[\w-]+/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?(<[^>]*>) ?/g, '$1')
    .replaceAll('>', '>\n');
}

// Cursors are each server's own, and so is the link that holds one.
function samePage(ours, raw) {
  assert.deepEqual(withoutCursor(ours.json), withoutCursor(raw.json));
}

function withoutCursor({ meta, ...rest }) {
  if (meta === null) return rest;
  const { next_cursor, links, ...pagination } = meta.pagination;
  return { ...rest, pagination, more: next_cursor !== null, linked: links.next !== null };
}

function identityOf({ headers }) {
  return ['developer', 'app', 'key-id', 'products'].map((name) => headers.get(`x-portal-${name}`));
}

function bearer(token) {
  return { authorization: `Bearer ${token}` };
}

function ownTokens({ user, admin }) {
  return { user: user.token, admin: admin.token };
}

// The hand-written server signs with its own key; its tokens stand for the same sign-ins.
function rawTokens({ rawJwtSecret }, { user, admin }) {
  const sign = ({ token }) => jwt.sign(jwt.decode(token), Buffer.from(rawJwtSecret), { algorithm: 'HS256' });
  return { user: sign(user), admin: sign(admin) };
}
