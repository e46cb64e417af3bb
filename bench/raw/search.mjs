import { sendData } from './answers.mjs';

const MOST = 15;

/** What a quick search by hand does: the words as beginnings, public products, the best by the index's own order; no typos, no languages. */
export function searchHandler(database, databaseUrl) {
  const find = databaseUrl.startsWith('sqlite:') ? onSqlite(database) : onMysql(database);
  return async (request, response) => {
    const words = String(request.query.q ?? '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu);
    sendData(response, words ? await find(words) : []);
  };
}

const COLUMNS =
  'e.id, e.type, e.name, e.summary, e.place, SUBSTR(e.body, 1, 220) AS snippet, p.slug, p.name AS product';
const VISIBLE = "LEFT JOIN portal_products p ON p.id = e.product_id WHERE p.visibility = 'public'";

function onSqlite(database) {
  const sql = `SELECT ${COLUMNS} FROM portal_search_index i JOIN portal_search_entries e ON e.id = i.rowid ${VISIBLE}
    AND portal_search_index MATCH ? ORDER BY bm25(portal_search_index, 12, 4, 1) LIMIT ${MOST}`;
  return (words) => database.select(sql, [words.map((word) => `"${word}" *`).join(' AND ')]);
}

function onMysql(database) {
  const sql = `SELECT ${COLUMNS} FROM portal_search_index i JOIN portal_search_entries e ON e.id = i.entry_id ${VISIBLE}
    AND MATCH (i.words) AGAINST (? IN BOOLEAN MODE)
    ORDER BY MATCH (i.words) AGAINST (? IN BOOLEAN MODE) DESC LIMIT ${MOST}`;
  return (words) => {
    const match = words.map((word) => `+zz${word}*`).join(' ');
    return database.select(sql, [match, match]);
  };
}
