import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Language, Parser } from 'web-tree-sitter';
import { receiverSamples } from '../../src/theme/format/webhook-receivers.js';
import { findBinary } from '../support/binaries.js';

/* eslint-disable @typescript-eslint/no-explicit-any -- scripts of pages have no types */
const load = (name: string): Promise<any> => import(pathToFileURL(`templates/theme/assets/${name}`).href);
const samples: Record<string, (request: object) => string> = (await load('reference-samples.js')).SAMPLES;
const LANGUAGES = Object.keys(samples);

/** What each language reads as more than text, and what readers would not see. */
const HOSTILE: Record<string, string> = {
  quotes: `'"\`''' """ ‘’‚‛“”`,
  expressions: '$(touch run) `touch run` ${x} $x #{x} \\(x) %{x} {{x}} $env:PATH @{x} {$x} %x%',
  'line breaks': 'a\nb\r\nc\u2028d\u2029e\\\nf',
  escapes: '\\ \\\\ \\" \\u0022 \\x41 \\n \\',
  'directions and nothing': 'a\u202eb\u2066c\u200bd\ufeffe\u00adf\u0000g\u0001h\u{e0041}i',
  comments: '*/ // # -- <!-- --> ?> <?php /* `#',
  options: '-o/tmp/run',
  files: '@/etc/passwd;type=x',
  unicode: 'ü💥\ud800 مرحبا',
};
const SIMPLE = 'x';

/** Requests in which a document's text stands everywhere that it can. */
function requestsWith(text: string): Record<string, object> {
  const base = {
    method: 'POST',
    url: 'https://api.example.com/v1?q=%27x',
    headers: [] as string[][],
    cookies: [],
    basic: null,
  };
  const [line] = [text.replace(/[\r\n\0]+/g, ' ')];
  const type = 'application/json';
  return {
    get: { ...base, method: 'GET', payload: null, headers: [['X-Key', line]], cookies: [['c', 'a%20b']] },
    basic: { ...base, method: 'DELETE', payload: null, basic: [line, `p${line}`] },
    json: {
      ...base,
      headers: [['Content-Type', type]],
      payload: { kind: 'text', type, text: JSON.stringify({ k: [text, 1, true, null] }) },
    },
    text: { ...base, headers: [['Content-Type', line]], payload: { kind: 'text', type: line, text } },
    form: {
      ...base,
      payload: { kind: 'form', type: 'application/x-www-form-urlencoded', text: 'a=b', pairs: [[text, text]] },
    },
    raw: { ...base, payload: { kind: 'form', type: 'application/x-www-form-urlencoded', text: 'a=b,c', pairs: null } },
    parts: {
      ...base,
      payload: {
        ...{ kind: 'multipart', type: 'multipart/form-data' },
        parts: [
          { name: text, value: text, type: '' },
          { name: `${text}2`, value: text, type: 'application/json' },
          { name: `${text}3`, file: null, type: 'image/png' },
        ],
      },
    },
    file: {
      ...base,
      headers: [['Content-Type', 'image/png']],
      payload: { kind: 'file', type: 'image/png', file: null },
    },
  };
}

const texts = { simple: SIMPLE, ...HOSTILE };
const written = (language: string) =>
  Object.entries(texts).flatMap(([what, text]) =>
    Object.entries(requestsWith(text)).map(([kind, request]) => ({
      what,
      kind,
      code: samples[language]?.(request) ?? '',
    })),
  );

/** A program without what stands in its strings: nothing else of it may depend on a document. */
function skeleton(language: string, code: string): string {
  if (language === 'curl' || language === 'PowerShell') {
    const quotes = language === 'curl' ? /'[^']*'(?:\\''[^']*')*/g : /'(?:[^'‘’‚‛]|['‘’‚‛]{2})*'/g;
    return code.replace(quotes, 'S');
  }
  return code.replace(/"(?:[^"\\\n]|\\.)*"/g, 'S');
}

describe('samples of requests', () => {
  it('are written in ten languages and more', () => {
    expect(LANGUAGES).toEqual([
      ...['curl', 'JavaScript', 'Node.js', 'Python', 'PHP', 'Ruby', 'Go', 'Java', 'Kotlin', 'C#', 'Swift', 'Rust'],
      'PowerShell',
    ]);
  });

  it.each(LANGUAGES)('hold the text of a document in strings only: %s', (language) => {
    const plain = new Map(
      written(language)
        .filter(({ what }) => what === 'simple')
        .map(({ kind, code }) => [kind, code]),
    );
    for (const { what, kind, code } of written(language)) {
      // curl reads files and media types out of quoted text too: what it is handed is looked at below.
      expect([what, kind, skeleton(language, code)]).toEqual([what, kind, skeleton(language, plain.get(kind) ?? '')]);
      if (language === 'curl' || language === 'PowerShell') continue;
      expect(code).not.toMatch(/[\u0001-\u0008\u000b-\u001f\u00ad\u200b\u2028-\u202e\u2066\ufeff]|\p{Surrogate}/u);
    }
  });
});

describe('a sample for a shell', () => {
  let place: string;
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'samples-'));
  });
  afterEach(() => rmSync(place, { recursive: true }));

  const argumentsOf = (code: string) => {
    const shown = execFileSync('sh', ['-c', `curl() { printf '%s\\000' "$@"; }\n${code}`], {
      cwd: place,
      encoding: 'utf8',
    });
    return shown.split('\0').slice(0, -1);
  };

  it.each(Object.entries(HOSTILE))('hands curl %s as they are, and runs nothing', (_what, text) => {
    const requests = requestsWith(text);
    const [line] = [text.replace(/[\r\n\0]+/g, ' ')];
    const sent = text.replaceAll('\0', '').replaceAll('\ud800', '\ufffd');
    const of = (kind: string) => argumentsOf(samples.curl?.(requests[kind] ?? {}) ?? '');
    expect(of('text').at(-1)).toBe(sent);
    expect(of('get').slice(0, 3)).toEqual([
      'https://api.example.com/v1?q=%27x',
      '-H',
      `X-Key: ${line.replaceAll('\ud800', '\ufffd')}`,
    ]);
    expect(JSON.parse(of('json').at(-1) ?? '')).toEqual({ k: [text, 1, true, null] });
    const parts = of('parts');
    // Only what is a file is read as one.
    expect(parts.filter((part) => part === '-F').length).toBe(2);
    expect(parts[parts.indexOf('--form-string') + 1]?.endsWith(`=${sent}`)).toBe(true);
    expect(parts[parts.length - 3]).toMatch(/="(?:[^"\\]|\\["\\])*";type=application\/json$/);
    expect(parts.at(-1)).toMatch(/^[^=]*=@path\/to\/file;type=image\/png$/);
    const [form] = of('form').slice(-1);
    expect(form).toMatch(/^[^=@&]*=/);
    expect(readdirSync(place)).toEqual([]);
  });
});

/** Program → how it is asked whether files are written in its language. */
const CHECKS: Record<string, { program: string; extension: string; arguments: (files: string[]) => string[] }> = {
  curl: {
    program: 'sh',
    extension: 'sh',
    arguments: (files) => ['-c', 'for file in "$@"; do sh -n "$file" || exit 1; done', 'sh', ...files],
  },
  JavaScript: node(),
  'Node.js': node(),
  Python: {
    program: 'python3',
    extension: 'py',
    arguments: (files) => [
      '-c',
      'import ast, sys\nfor name in sys.argv[1:]: ast.parse(open(name, "rb").read(), name)',
      ...files,
    ],
  },
  PHP: each('php', 'php', 'php -l'),
  Ruby: { program: 'ruby', extension: 'rb', arguments: (files) => ['-c', ...files] },
  Go: { program: 'gofmt', extension: 'go', arguments: (files) => ['-e', '-l', ...files] },
  Java: {
    program: 'javac',
    extension: 'java',
    arguments: (files) => ['-proc:none', '-Xlint:none', '-d', 'out', ...files],
  },
  Kotlin: { program: 'kotlinc', extension: 'kt', arguments: (files) => files },
  'C#': { program: 'csc', extension: 'cs', arguments: (files) => files },
  Swift: each('swiftc', 'swift', 'swiftc -parse'),
  Rust: {
    program: 'rustfmt',
    extension: 'rs',
    arguments: (files) => ['--check', '--edition', '2021', '--emit', 'files', ...files],
  },
  PowerShell: each('pwsh', 'ps1', 'pwsh -NoProfile -Command [void][scriptblock]::Create((Get-Content -Raw $args[0]))'),
};

function each(program: string, extension: string, command: string) {
  const loop = `for file in "$@"; do ${command} "$file" >/dev/null || exit 1; done`;
  return { program, extension, arguments: (files: string[]) => ['-c', loop, 'sh', ...files], shell: true };
}

// One process for all: `node --check` takes one file at a time.
function node() {
  const check =
    'import { readFileSync } from "node:fs"; import { SourceTextModule } from "node:vm";' +
    'for (const name of process.argv.slice(1)) new SourceTextModule(readFileSync(name, "utf8"), { identifier: name });';
  return {
    ...{ program: 'node', extension: 'mjs' },
    arguments: (files: string[]) => [
      '--no-warnings',
      '--experimental-vm-modules',
      '--input-type=module',
      '-e',
      check,
      '--',
      ...files,
    ],
  };
}

/** Grammars, for the machines that lack a program of the language. */
const GRAMMARS: Record<string, string> = {
  PHP: '@vscode/tree-sitter-wasm/wasm/tree-sitter-php',
  Ruby: '@vscode/tree-sitter-wasm/wasm/tree-sitter-ruby',
  Go: '@vscode/tree-sitter-wasm/wasm/tree-sitter-go',
  Java: '@vscode/tree-sitter-wasm/wasm/tree-sitter-java',
  Kotlin: 'tree-sitter-wasms/out/tree-sitter-kotlin',
  'C#': '@vscode/tree-sitter-wasm/wasm/tree-sitter-c-sharp',
  Swift: 'tree-sitter-wasms/out/tree-sitter-swift',
  Rust: '@vscode/tree-sitter-wasm/wasm/tree-sitter-rust',
  PowerShell: '@vscode/tree-sitter-wasm/wasm/tree-sitter-powershell',
};

describe('the grammar of samples', () => {
  beforeAll(() => Parser.init());

  it.each(Object.entries(GRAMMARS))(
    'takes what is written in %s, and nothing that is broken',
    async (language, file) => {
      const parser = new Parser();
      parser.setLanguage(await Language.load(`node_modules/${file}.wasm`));
      const isBroken = (code: string) => parser.parse(code)?.rootNode.hasError ?? true;
      const broken = written(language).filter(({ code }) => isBroken(code));
      expect(broken.map(({ what, kind }) => `${what}: ${kind}`)).toEqual([]);
      const taken = written(language).filter(({ code }) => !isBroken(`${code}\n(("`));
      expect(taken.map(({ what, kind }) => `${what}: ${kind}`)).toEqual([]);
      parser.delete();
    },
  );

  it('takes the receiver of webhooks in Go; those in Node.js and Python run in test/cli/webhooks-listen', async () => {
    const parser = new Parser();
    parser.setLanguage(await Language.load(`node_modules/${GRAMMARS.Go}.wasm`));
    const { text = '' } = receiverSamples('MY_WEBHOOK_SECRET').find(({ name }) => name === 'Go') ?? {};
    expect([text, `${text}\n((`].map((code) => parser.parse(code)?.rootNode.hasError)).toEqual([false, true]);
    parser.delete();
  });
});

describe('the syntax of samples', () => {
  let place: string;
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'samples-'));
  });
  afterAll(() => rmSync(place, { recursive: true }));

  it.each(LANGUAGES)(
    'passes the check of its language: %s',
    (language) => {
      const check = CHECKS[language] as (typeof CHECKS)[string] & { shell?: boolean };
      if (findBinary(check.program) === undefined) {
        process.stdout.write(`${language}: no ${check.program} on this machine; its grammar has judged\n`);
        return;
      }
      const folder = join(place, check.program + check.extension + LANGUAGES.indexOf(language));
      mkdirSync(join(folder, 'out'), { recursive: true });
      const files = written(language).map(({ code }, number) => {
        const name = join(folder, `sample${number}.${check.extension}`);
        // Classes need names of their own.
        writeFileSync(
          name,
          `${language === 'Java' ? code.replace('public class Sample', `class Sample${number}`) : code}\n`,
        );
        return name;
      });
      const { status, stderr } = spawnSync(check.shell ? 'sh' : check.program, check.arguments(files), {
        cwd: folder,
        encoding: 'utf8',
      });
      // rustfmt finds fault with the layout of any program; a fault of syntax is an `error`.
      const faults =
        language === 'Rust'
          ? stderr.split('\n').filter((each) => each.startsWith('error'))
          : stderr.split('\n').slice(0, 20);
      if (language === 'Rust') expect(faults).toEqual([]);
      else expect([status, faults]).toEqual([0, ['']]);
    },
    60_000,
  );
});
