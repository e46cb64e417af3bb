import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Script, createContext } from 'node:vm';
import { check } from 'recheck';
import ts from 'typescript';

const LENGTH = 50_000;
const LONGEST_MS = 100;

/** What is slow on 50 KB and never sees them: the longest text that reaches it, and what sees to that. */
const BOUNDED: Readonly<Record<string, { length: number; because: string }>> = {
  '/^add-(.+)-to-(.+)$/': { length: 500, because: 'an argument of make:migration' },
  '/"(?:[^"\\\\]|\\\\.)*"/': { length: 2_000, because: 'a sentence of ours, which quotes a name at most' },
};

interface Found {
  readonly source: string;
  readonly flags: string;
  readonly places: string[];
}

/** Every regular expression that is written in what ships, by its text. */
function expressions(): Map<string, Found> {
  const listed = execFileSync('git', ['ls-files', 'src/**/*.ts', 'bin', 'templates/**/*.js'], { encoding: 'utf8' });
  const found = new Map<string, Found>();
  for (const file of listed.trim().split('\n')) {
    const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      ts.forEachChild(node, visit);
      if (node.kind !== ts.SyntaxKind.RegularExpressionLiteral) return;
      const text = node.getText();
      const end = text.lastIndexOf('/');
      const entry = found.get(text) ?? { source: text.slice(1, end), flags: text.slice(end + 1), places: [] };
      entry.places.push(`${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
      found.set(text, entry);
    };
    visit(tree);
  }
  return found;
}

/** The text that an analysis of the expression expects to be worst, repeated to this length. */
async function worstTexts({ source, flags }: Found, length: number): Promise<string[]> {
  const result = await check(source, flags, { timeout: 10_000, attackLimit: 1_000 });
  if (result.status === 'safe') return [];
  // Not decided in time: texts that are bad for most.
  if (result.status === 'unknown')
    return [' ', '-', 'a', '/', '.', '"', '0'].map((letter) => `${letter.repeat(length)}\n`);
  const { pumps, suffix } = result.attack;
  const fixed = pumps.reduce((sum, { prefix }) => sum + prefix.length, suffix.length);
  const count = Math.floor((length - fixed) / pumps.reduce((sum, { pump }) => sum + pump.length, 0));
  return [pumps.map(({ prefix, pump }) => prefix + pump.repeat(Math.max(1, count))).join('') + suffix];
}

/**
 * Milliseconds of processor time that one search takes, the best of three, so that neighbours do not count. It is broken off
 * after ten times of what is allowed.
 */
function measure({ source, flags }: Found, text: string): number {
  const context = createContext({ expression: new RegExp(source, flags), text });
  const script = new Script('expression.lastIndex = 0; expression.test(text)');
  const times = [1, 2, 3].map(() => {
    const start = process.cpuUsage();
    try {
      script.runInContext(context, { timeout: LONGEST_MS * 10 });
    } catch {
      // Its time tells.
    }
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

describe('regular expressions (S88)', () => {
  const all = expressions();

  it('are found', () => expect(all.size).toBeGreaterThan(200));

  it(`take less than ${LONGEST_MS} ms for the worst ${LENGTH} characters, or for the most that reaches them`, async () => {
    const slow: string[] = [];
    for (const [text, found] of all) {
      const { length = LENGTH } = BOUNDED[text] ?? {};
      for (const worst of await worstTexts(found, length)) {
        const time = measure(found, worst);
        if (time > LONGEST_MS) slow.push(`${found.places.join(', ')}: ${text} takes ${Math.round(time)} ms`);
      }
    }
    expect(slow).toEqual([]);
  });

  it('are told from those that are slow, which a bad one shows', async () => {
    const bad = { source: '(?:a|a)+$', flags: '', places: [] };
    const [text = ''] = await worstTexts(bad, LENGTH);
    expect(measure(bad, text)).toBeGreaterThan(LONGEST_MS);
  });

  it('that are bounded are still there', () => {
    expect(Object.keys(BOUNDED).filter((text) => !all.has(text))).toEqual([]);
  });
});
