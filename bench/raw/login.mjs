import { createHash, randomBytes } from 'node:crypto';
import { verify } from '@node-rs/argon2';
import { sendData, sendError } from './answers.mjs';

const INSERT_SESSION = `INSERT INTO portal_sessions (sid, context, account_id, channel, auth_epoch, auth_time, ip,
  user_agent, last_seen_at, expires_at, created_at) VALUES (?, 'consumer', ?, 'api', ?, ?, ?, ?, ?, ?, ?)`;
const MAKE_RECORD = `CREATE TABLE IF NOT EXISTS bench_sign_ins (account_id BIGINT NOT NULL, email VARCHAR(254) NOT NULL,
  ip VARCHAR(45) NOT NULL, user_agent VARCHAR(255) NOT NULL, created_at DATETIME NOT NULL)`;
const INSERT_RECORD =
  'INSERT INTO bench_sign_ins (account_id, email, ip, user_agent, created_at) VALUES (?, ?, ?, ?, ?)';
const INSERT_TOKEN = `INSERT INTO portal_api_refresh_tokens (token_hash, family, counter, expires_at, created_at)
  VALUES (?, ?, 1, ?, ?)`;

/** E-mail and password against a token pair, with its sign-in, refresh token and a record of it written in one transaction. */
export function login(database, tokens, { accessTtl, refreshTtl, refreshFamilyTtl }) {
  const made = database.insertTogether([[MAKE_RECORD, []]]);
  return async (request, response) => {
    const { email, password } = request.body ?? {};
    if (typeof email !== 'string' || typeof password !== 'string') return sendError(response, 422, 'Invalid data.');
    const sql = 'SELECT id, status, password_hash, auth_epoch FROM portal_users WHERE email = ?';
    const [user] = await database.select(sql, [email.trim().toLowerCase()]);
    const matches = user !== undefined && (await verify(user.password_hash, password));
    if (!matches || user.status === 'inactive') return sendError(response, 401, 'Invalid credentials.');

    const now = new Date();
    const sid = randomBytes(16).toString('hex');
    const refreshToken = randomBytes(32).toString('base64url');
    const later = (seconds) => new Date(now.getTime() + seconds * 1000);
    await made;
    const agent = (request.headers['user-agent'] ?? '').slice(0, 255);
    const session = [sid, user.id, user.auth_epoch, now, request.ip, agent, now, later(refreshFamilyTtl), now];
    const hash = createHash('sha256').update(refreshToken).digest('hex');
    await database.insertTogether([
      [INSERT_SESSION, session],
      [INSERT_TOKEN, [hash, sid, later(refreshTtl), now]],
      [INSERT_RECORD, [user.id, email, request.ip, agent, now]],
    ]);
    const data = {
      token_type: 'Bearer',
      access_token: tokens.sign('consumer', user.id, sid),
      expires_in: accessTtl,
      refresh_token: refreshToken,
    };
    sendData(response, data, 'Logged in.');
  };
}
