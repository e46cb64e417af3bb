import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** See docs/decisions/raw-fast-path.md: beyond these, a record says it, or a file of queries of its room. */
const MOST_STATEMENTS = 100;
const MOST_FILES = 30;

/** A text literal that is a statement, or a part of one such as a subquery. */
const STATEMENT = /['"`]\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\s/g;

/** The data layer itself. */
const DATA_LAYER = join('src', 'database');

/** File → how many statements are in it; files without any are absent. */
function countStatements(): Map<string, number> {
  const paths = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((path) => join('src', path));
  const sources = paths.filter((path) => path.endsWith('.ts') && !path.startsWith(DATA_LAYER));
  const counts = sources.map((path) => [path, [...readFileSync(path, 'utf8').matchAll(STATEMENT)].length] as const);
  return new Map(counts.filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a));
}

describe('SQL that is written by hand outside of src/database', () => {
  const counts = countStatements();
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const listed = [...counts].map(([path, count]) => `${count} ${path}`);

  it(`is at most ${MOST_STATEMENTS} statements`, () => {
    expect(counts.get(join('src', 'domain', 'auth', 'session-queries.ts'))).toBeGreaterThan(5);
    expect(total > MOST_STATEMENTS ? [`${total} statements`, ...listed] : []).toEqual([]);
  });

  it(`is in at most ${MOST_FILES} files`, () => {
    expect(counts.size > MOST_FILES ? [`${counts.size} files`, ...listed] : []).toEqual([]);
  });
});
