import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

describe('the table of security tests', () => {
  const table = readFileSync('docs/security-tests.md', 'utf8');

  it('names files that exist', () => {
    const named = table.match(/test\/[\w/-]+\.(?:test|chaos)\.ts/g) ?? [];
    expect(named.length).toBeGreaterThan(30);
    expect([...new Set(named)].filter((file) => !existsSync(file))).toEqual([]);
  });

  it('says what every number in a comment of the source means', () => {
    const explained = new Set(
      [...table.matchAll(/^\| ([SR\d, –]+?) +\|/gm)].flatMap(([, cell = '']) => cell.split(', ').flatMap(numbersOf)),
    );
    const used = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => readFileSync(join('src', file), 'utf8').match(/\b[SR]\d\d\b/g) ?? []);
    expect(used.length).toBeGreaterThan(100);
    expect([...new Set(used)].filter((number) => !explained.has(number)).sort()).toEqual([]);
  });
});

/** `S18–S20` is S18, S19 and S20. */
function numbersOf(rule: string): string[] {
  const [first = '', last = first] = rule.split('–');
  const [from, to] = [Number(first.slice(1)), Number(last.slice(1))];
  return Array.from({ length: to - from + 1 }, (_, index) => `${first[0]}${String(from + index).padStart(2, '0')}`);
}
