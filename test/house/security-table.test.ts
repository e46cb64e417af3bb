import { existsSync, readFileSync } from 'node:fs';

it('the table of security tests names files that exist', () => {
  const named = readFileSync('docs/security-tests.md', 'utf8').match(/test\/[\w/-]+\.(?:test|chaos)\.ts/g) ?? [];
  expect(named.length).toBeGreaterThan(30);
  expect([...new Set(named)].filter((file) => !existsSync(file))).toEqual([]);
});
