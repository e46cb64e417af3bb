import { readdir, readFile } from 'node:fs/promises';
import { LOOKS } from '../../src/cli/project/init-choices.js';
import { themeOptions } from '../../src/theme/config.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal } from '../support/test-portal.js';

const ASSETS = 'templates/theme/assets';
/** WCAG 2.2, 1.4.3. */
const READABLE = 4.5;
type Tokens = ReadonlyMap<string, string>;

/** The colours of a look in one scheme, as a browser would take them from the sheets in their order. */
async function tokensOf(preset: string, scheme: 'light' | 'dark', brand: string): Promise<Tokens> {
  const files = ['portal.css', ...(preset === 'clear' ? [] : [`preset-${preset}.css`])];
  const sheets = await Promise.all(files.map((file) => readFile(`${ASSETS}/${file}`, 'utf8')));
  const selectors = scheme === 'light' ? [':root'] : [':root', ":root[data-scheme='dark']"];
  const tokens = new Map<string, string>();
  for (const selector of selectors) {
    for (const sheet of [...sheets, brand]) {
      for (const [, found = '', body = ''] of sheet.matchAll(/^(:root[^{\n]*?) ?\{([^}]*)\}/gm)) {
        if (found.replaceAll("'", '') !== selector.replaceAll("'", '')) continue;
        for (const [, name = '', value = ''] of body.matchAll(/(--[\w-]+):\s*(#[0-9a-f]{6})/g)) tokens.set(name, value);
      }
    }
  }
  return tokens;
}

function contrast(one: string, other: string): number {
  const [a, b] = [one, other].map((colour) => {
    const parts = [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255);
    const [red = 0, green = 0, blue = 0] = parts.map((part) =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }) as [number, number];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

const PAIRS = [
  ...['ink', 'ink-soft', 'brand', 'good', 'bad'].flatMap((text) => ['page', 'surface'].map((ground) => [text, ground])),
  ...['ink', 'ink-soft'].map((text) => [text, 'sunken']),
  ...['good', 'warn', 'bad'].map((text) => [text, `${text}-soft`]),
  ...['code-ink', 'code-soft'].map((text) => [text, 'code-page']),
  ['on-brand', 'brand'],
] as const;

describe.each([...LOOKS])('the look %s', (preset) => {
  it.each(['#1d4ed8', '#ffee00', '#000000', '#ff0000', '#ffffff'])(
    'can be read in light and dark, in %s',
    async (colour) => {
      const test = await startTestPortal({ config: { theme: { preset, brandColor: colour } } });
      const browser = new PageClient(test.client);
      const { html } = await browser.get('/portal');
      expect(html.includes(`preset-${preset}.css`)).toBe(preset !== 'clear');
      const brand = (await browser.get('/portal/assets/brand.css')).html;
      for (const surface of ['portal', 'docs'])
        expect((await browser.get(`/${surface}/assets/favicon.svg`)).html).toContain(`fill="${colour}"`);
      await test.stop();
      const faint: string[] = [];
      for (const scheme of ['light', 'dark'] as const) {
        const tokens = await tokensOf(preset, scheme, brand);
        for (const [text, ground] of PAIRS) {
          const [one, other] = [tokens.get(`--${text}`), tokens.get(`--${ground}`)];
          const found = one && other ? contrast(one, other) : 0;
          if (found < READABLE) faint.push(`${scheme}: ${text} on ${ground} ${found.toFixed(2)}`);
        }
        const painted = [
          ...(await readFile(`${ASSETS}/portal.css`, 'utf8')).matchAll(/\.tok-[^{]*\{\s*color: (#\w{6})/g),
        ];
        expect(painted.length).toBeGreaterThan(3);
        for (const [, token = ''] of painted) {
          if (contrast(token, tokens.get('--code-page') ?? token) < READABLE) faint.push(`${scheme}: ${token} of code`);
        }
      }
      expect(faint).toEqual([]);
    },
  );
});

it('has a sheet for each look but the first, and no other; a new project may choose any', async () => {
  expect(themeOptions.preset.choices).toEqual(LOOKS);
  const sheets = (await readdir(ASSETS)).filter((file) => file.startsWith('preset-'));
  expect(sheets.sort()).toEqual(
    LOOKS.slice(1)
      .map((preset) => `preset-${preset}.css`)
      .sort(),
  );
});
