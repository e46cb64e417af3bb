import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const CODE = /\.(ts|js)$/;
const DANGERS = [
  { danger: 'markup that is not escaped', files: /\.hbs$/, sign: /\{\{~?[{&]/, example: '{{{name}}}' },
  {
    danger: 'text run as code',
    files: CODE,
    sign: /\beval\(|\b(?:new )?Function\(['"`]|\bset(?:Timeout|Interval)\(['"`]/,
    example: "new Function('return 1')",
  },
  { danger: 'SQL made of text', files: CODE, sign: /\.literal\(/, example: 'sequelize.literal(order)' },
  {
    danger: 'markup made of text',
    files: CODE,
    sign: /\b(?:inner|outer)HTML\s*\+?=|\binsertAdjacentHTML\(|document\.write\(|\bSafeString\(/,
    example: 'element.innerHTML = name',
  },
  {
    danger: 'a shell',
    files: CODE,
    sign: /\bshell:\s*true|\bimport \{[^}]*\bexec(?:Sync)?\b[^}]*\} from 'node:child_process'|\bexecaCommand/,
    example: 'spawn(line, { shell: true })',
  },
];

const listed = execFileSync('git', ['ls-files', 'src', 'bin', 'templates', 'stubs'], { encoding: 'utf8' });
const shipped = listed.trim().split('\n');

describe('what ships (S88)', () => {
  it.each(DANGERS)('has no $danger', ({ files, sign, example }) => {
    expect(example).toMatch(sign);
    const looked = shipped.filter((file) => files.test(file));
    expect(looked.length).toBeGreaterThan(20);
    expect(looked.filter((file) => sign.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});
