import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const pages = [
  'README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

describe('what is written about the package', () => {
  it('does not name the version that it is, which the next release would make wrong', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const [major = '', minor = ''] = version.split('.');
    const readme = readFileSync('README.md', 'utf8');
    const releases = [...readme.matchAll(/(?<![\d.])(\d+)\.(\d+)(?:\.\d+)?(?![\d.])/g)];
    const own = releases.filter(([, first, second]) => first === major && Number(second) <= Number(minor));
    expect(own.map(([text]) => text)).toEqual([]);
  });

  it('breaks lines of tables where it means to', () => {
    expect(pages.filter((page) => /&lt;br\s*\/?>/.test(readFileSync(page, 'utf8')))).toEqual([]);
  });
});
