import { createHash } from 'node:crypto';

const FIND_KEY = `SELECT k.portal_id AS key_id, k.status AS key_status, k.expires_at, a.name AS app,
    a.status AS app_status, d.id AS developer, d.status AS developer_status, p.slug AS product, g.status AS grant_status
  FROM portal_gateway_keys k
  JOIN portal_gateway_apps a ON a.id = k.app_id
  JOIN portal_gateway_developers d ON d.id = a.developer_id
  LEFT JOIN portal_gateway_key_products g ON g.key_id = k.id
  LEFT JOIN portal_products p ON p.gateway_product_id = g.product AND p.visibility <> 'draft'
  WHERE k.key_hash = ?`;

/** Whether a key opens: one look-up by its SHA-256, in which everything that can close it is read along. */
export function verifyKey(database) {
  return async (request, response) => {
    const key = request.headers['x-api-key'];
    if (typeof key !== 'string' || !/^[A-Za-z0-9_-]{8,255}$/.test(key)) return deny(response, 401, 'missing_key');
    const rows = await database.select(FIND_KEY, [createHash('sha256').update(key).digest('hex')]);
    const fault = faultOf(rows);
    if (fault) return deny(response, 403, fault);
    const [{ developer, app, key_id }] = rows;
    const products = rows.filter(isOpen).map(({ product }) => product);
    response.setHeader('X-Portal-Developer', encodeURI(developer));
    response.setHeader('X-Portal-App', encodeURI(app));
    response.setHeader('X-Portal-Key-Id', encodeURI(key_id));
    response.setHeader('X-Portal-Products', encodeURI(products.sort().join(',')));
    response.json({ allowed: true });
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
