import { iso, json, PER_PAGE, pageOf, paginationMeta, sendData, sendError } from './answers.mjs';

const GRANTS_KEPT_MS = 800;

const USER_COLUMNS = `u.id, u.email, u.first_name, u.last_name, u.status, u.email_verified_at, u.pending_email, u.locale,
  u.custom_attributes, u.created_at, u.updated_at`;
const LIVE = `s.revoked_at IS NULL AND s.expires_at > ? AND s.context = ? AND s.channel = 'api'`;
const SIGNED_IN = {
  consumer: `SELECT ${USER_COLUMNS} FROM portal_sessions s
    JOIN portal_users u ON u.id = s.account_id AND u.auth_epoch = s.auth_epoch
    WHERE s.sid = ? AND ${LIVE} AND u.status <> 'inactive'`,
  admin: `SELECT a.id, a.name, a.email FROM portal_sessions s
    JOIN portal_admins a ON a.id = s.account_id AND a.auth_epoch = s.auth_epoch
    WHERE s.sid = ? AND ${LIVE} AND a.status <> 'inactive'`,
};

/** Lets in whoever holds a token of a sign-in that still lives. */
export function signedIn(database, tokens, context) {
  return async (request, response, next) => {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const claims = token && tokens.verify(token, context);
    const [account] = claims ? await database.select(SIGNED_IN[context], [claims.sid, new Date(), context]) : [];
    if (account?.id !== Number(claims?.sub)) return sendError(response, 401, 'Unauthenticated.');
    request.account = account;
    next();
  };
}

/** Lets in admins with these permissions; what an admin may do is kept for a moment, as the portal does. */
export function permitted(database, permissions) {
  const cache = new Map();
  const grantsOf = (id) => {
    const now = Date.now();
    const entry = cache.get(id);
    if (entry && now < entry.until) return entry.grants;
    const grants = readGrants(database, id);
    cache.set(id, { grants, until: now + GRANTS_KEPT_MS });
    return grants;
  };
  return async (request, response, next) => {
    const grants = await grantsOf(request.account.id);
    if (permissions.every((name) => grants.has(name))) next();
    else sendError(response, 403, 'Forbidden.');
  };
}

async function readGrants(database, adminId) {
  const rows = await database.select(
    `SELECT p.name FROM portal_admin_roles ar JOIN portal_role_permissions rp ON rp.role_id = ar.role_id
     JOIN portal_permissions p ON p.id = rp.permission_id WHERE ar.admin_id = ?`,
    [adminId],
  );
  return new Set(rows.map(({ name }) => name));
}

export function showMe(request, response) {
  sendData(response, presentUser(request.account));
}

const USERS = `SELECT ${USER_COLUMNS} FROM (
    SELECT id, created_at FROM portal_users WHERE kind = 'person' ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?
  ) page JOIN portal_users u ON u.id = page.id ORDER BY page.created_at DESC, page.id DESC`;
const AUDIENCES = (count) => `SELECT au.user_id, a.id, a.name FROM portal_audience_users au
  JOIN portal_audiences a ON a.id = au.audience_id
  WHERE au.user_id IN (${Array(count).fill('?').join(', ')}) ORDER BY a.name, a.id`;

/** The list of developers with their audiences; the total is exact, as the portal's. */
export function userList(database, { issuer, prefix, adminPrefix }) {
  const base = `${issuer}${prefix}/${adminPrefix}/users`;
  return async (request, response) => {
    const wanted = pageOf(request.query);
    const [rows, [{ total }]] = await Promise.all([
      database.select(USERS, [PER_PAGE + 1, (wanted.page - 1) * PER_PAGE]),
      database.select("SELECT COUNT(*) AS total FROM portal_users WHERE kind = 'person'", []),
    ]);
    const users = await withAudiences(database, rows.slice(0, PER_PAGE));
    sendData(response, users, '', paginationMeta(base, wanted, rows, total));
  };
}

async function withAudiences(database, rows) {
  if (rows.length === 0) return [];
  const users = new Map(rows.map((row) => [row.id, presentListed(row)]));
  for (const { user_id, id, name } of await database.select(AUDIENCES(rows.length), [...users.keys()])) {
    users.get(user_id).audiences.push({ id, name });
  }
  return [...users.values()];
}

function presentListed(row) {
  const { created_at, updated_at, ...user } = presentUser(row);
  return { ...user, audiences: [], created_at, updated_at };
}

function presentUser(row) {
  return {
    id: row.id,
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    full_name: `${row.first_name} ${row.last_name}`.trim(),
    status: row.status,
    email_verified_at: iso(row.email_verified_at),
    pending_email: row.pending_email,
    locale: row.locale,
    custom_attributes: json(row.custom_attributes),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}
