import type { Database } from '../../src/database/index.js';

/** Name of every column of every table, each once. */
export async function columnNames(database: Database): Promise<string[]> {
  const rows = await database.select<{ name: string }>(
    database.dialect === 'sqlite'
      ? "SELECT DISTINCT p.name AS name FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table'"
      : 'SELECT DISTINCT column_name AS name FROM information_schema.columns WHERE table_schema = DATABASE()',
  );
  return rows.map(({ name }) => name);
}

/** Every row of every table as text, but of those that count requests and not what they did. */
export async function dumpDatabase(database: Database): Promise<string[]> {
  const tables = await database.select<{ name: string }>(
    database.dialect === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name',
  );
  const rows: string[] = [];
  for (const { name } of tables.filter(
    (table) => table.name.startsWith('portal_') && !table.name.includes('_limit_'),
  )) {
    const found = await database.select<object>(`SELECT * FROM ${name}`);
    rows.push(...found.map((row) => `${name} ${JSON.stringify(row)}`).sort());
  }
  return rows;
}
