import mysql from 'mysql2/promise';
import { loadSqlite } from '../../dist-test/src/database/drivers/sqlite-provider.js';

/** The seeded database as one would open it by hand. Dates come as text, see `iso` in answers.mjs. */
export function openDatabase(url) {
  return url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length)) : openMysql(url);
}

function openMysql(url) {
  const pool = mysql.createPool({ uri: url, connectionLimit: 10, timezone: 'Z', dateStrings: true });
  const select = async (sql, values) => (await pool.query(sql, values))[0];
  return {
    select,
    addOnConflict: ' ON DUPLICATE KEY UPDATE calls = calls + VALUES(calls)',
    async insertTogether(statements) {
      const connection = await pool.getConnection();
      try {
        await connection.beginTransaction();
        for (const [sql, values] of statements) await connection.query(sql, values);
        await connection.commit();
      } catch (error) {
        await connection.rollback();
        throw error;
      } finally {
        connection.release();
      }
    },
  };
}

/** The same provider as the portal's; statements are prepared once. */
function openSqlite(file) {
  const database = new (loadSqlite().DatabaseSync)(file);
  for (const pragma of ['busy_timeout = 5000', 'journal_mode = WAL', 'synchronous = NORMAL', 'foreign_keys = ON']) {
    database.exec(`PRAGMA ${pragma}`);
  }
  const statements = new Map();
  const prepared = (sql) => {
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = database.prepare(sql)));
    return statement;
  };
  return {
    addOnConflict: ' ON CONFLICT DO UPDATE SET calls = calls + excluded.calls',
    select: async (sql, values) => prepared(sql).all(...values.map(toSqlite)),
    async insertTogether(inserts) {
      database.exec('BEGIN IMMEDIATE');
      try {
        for (const [sql, values] of inserts) prepared(sql).run(...values.map(toSqlite));
        database.exec('COMMIT');
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },
  };
}

function toSqlite(value) {
  return value instanceof Date ? `${value.toISOString().replace('T', ' ').replace('Z', '')} +00:00` : value;
}
