import { createHash } from 'node:crypto';

const FIND_KEY = `SELECT k.portal_id AS key_id, a.portal_id AS app_id, p.id AS product_id, k.status AS key_status, k.expires_at, a.name AS app,
    a.status AS app_status, d.id AS developer, d.status AS developer_status, p.slug AS product, g.status AS grant_status
  FROM portal_gateway_keys k
  JOIN portal_gateway_apps a ON a.id = k.app_id
  JOIN portal_gateway_developers d ON d.id = a.developer_id
  LEFT JOIN portal_gateway_key_products g ON g.key_id = k.id
  LEFT JOIN portal_products p ON p.gateway_product_id = g.product AND p.visibility <> 'draft'
  WHERE k.key_hash = ?`;

const ADD_CALLS = `INSERT INTO portal_usage_hours (app_id, hour, credential_id, product_id, plan_version_id, outcome, calls, last_at)
  VALUES (?, ?, ?, ?, 0, 'allowed', ?, ?)`;
const FLUSH_MS = 5_000;

/** Whether a key opens: one look-up by its SHA-256, in which everything that can close it is read along. Counts the calls. */
export function verifyKey(database) {
  const count = callCounter(database);
  return async (request, response) => {
    const key = request.headers['x-api-key'];
    if (typeof key !== 'string' || !/^[A-Za-z0-9_-]{8,255}$/.test(key)) return deny(response, 401, 'missing_key');
    const rows = await database.select(FIND_KEY, [createHash('sha256').update(key).digest('hex')]);
    const fault = faultOf(rows);
    if (fault) return deny(response, 403, fault);
    const [{ developer, app, key_id, app_id }] = rows;
    const open = rows.filter(isOpen);
    const products = open.map(({ product }) => product);
    count(app_id, key_id, open.length === 1 ? open[0].product_id : 0);
    response.setHeader('X-Portal-Developer', encodeURI(developer));
    response.setHeader('X-Portal-App', encodeURI(app));
    response.setHeader('X-Portal-Key-Id', encodeURI(key_id));
    response.setHeader('X-Portal-Products', encodeURI(products.sort().join(',')));
    response.json({ allowed: true });
  };
}

/** Counts in memory and adds to the table every five seconds, as the portal does. */
function callCounter(database) {
  let counted = new Map();
  const flush = () => {
    const now = Date.now();
    const statements = [...counted].map(([text, calls]) => {
      const [app, key, product, hour] = text.split(' ');
      return [ADD_CALLS + database.addOnConflict, [app, hour, key, product, calls, now]];
    });
    counted = new Map();
    if (statements.length > 0) return database.insertTogether(statements);
  };
  setInterval(() => flush()?.catch(console.error), FLUSH_MS).unref();
  return (app, key, product) => {
    const text = `${app} ${key} ${product} ${Math.floor(Date.now() / 3_600_000)}`;
    counted.set(text, (counted.get(text) ?? 0) + 1);
  };
}

function isOpen({ product, grant_status }) {
  return product !== null && grant_status === 'approved';
}

function faultOf(rows) {
  const [first] = rows;
  if (!first) return 'unknown_key';
  if (first.key_status !== 'approved') return 'revoked_key';
  if (first.expires_at !== null && new Date(first.expires_at) <= new Date()) return 'expired_key';
  if (first.app_status !== 'approved') return 'revoked_app';
  if (first.developer_status !== 'active') return 'inactive_developer';
  return rows.some(isOpen) ? null : 'no_product';
}

function deny(response, status, reason) {
  response.setHeader('X-Auth-Reason', reason);
  response.status(status).json({ error: reason });
}
