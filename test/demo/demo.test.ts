import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  lstatSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { repositoryFile } from './support.js';

const runFile = promisify(execFile);

let clone: string;
let demo: ChildProcess | undefined;

/** A clone with the real demo scripts and a stand-in for the command line. */
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'portal-demo-'));
  cpSync(fileURLToPath(repositoryFile('scripts')), join(clone, 'scripts'), { recursive: true });
  cpSync(fileURLToPath(repositoryFile('test/demo/fake-portal.mjs')), join(clone, 'bin', 'portal.js'));
  chmodSync(join(clone, 'bin', 'portal.js'), 0o755);
  // The installed copy has no extension; a package.json makes it a module, the first line makes it a program.
  const source = readFileSync(join(clone, 'bin', 'portal.js'), 'utf8');
  writeFileSync(join(clone, 'bin', 'portal.js'), `#!/usr/bin/env node\n${source}`);
  writeFileSync(join(clone, 'package.json'), '{"type":"module"}');
  writeFileSync(join(clone, 'mode'), 'working');
});

afterEach(async () => {
  if (demo?.exitCode === null && demo.signalCode === null) {
    demo.kill('SIGTERM');
    await once(demo, 'close');
  }
  rmSync(clone, { recursive: true, force: true });
});

const commands = () => readFileSync(join(clone, 'commands.log'), 'utf8').trim().split('\n');

interface Run {
  output: string;
  exit: Promise<number | null>;
  until(text: string): Promise<void>;
}

/** Runs the demo without a terminal, with a database in the shell that must not be touched. */
function runDemo(...args: string[]): Run {
  const env = { ...process.env, HOME: clone, DATABASE_URL: 'mysql://production.example/portal' };
  const child = spawn(process.execPath, [join(clone, 'scripts/demo/demo.mjs'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  demo = child;
  const exit = once(child, 'close').then(([code]) => code as number | null);
  const run: Run = {
    output: '',
    exit,
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = () => run.output.includes(text) && resolve();
        child.stdout.on('data', look);
        void exit.then(() => reject(new Error(`the demo ended before it said "${text}":\n${run.output}`)));
        look();
      }),
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (run.output += String(chunk)));
  return run;
}

describe('npm run demo', () => {
  it('runs the commands in order, prints a walk that works when pasted, and ends with SIGTERM', async () => {
    const run = runDemo('--port', '0');
    await run.until('goes on with it.');
    expect(run.output).toMatch(/Developer {2}maya\.haddad@example\.com {2}o'ne two/);
    expect(run.output).toMatch(/Admin {6}admin@example\.com {2}[\w-]{24}\n/);
    expect(run.output).toMatch(/\n {2}REST API {2}http:\/\/127\.0\.0\.1:\d+\/api\/v1\/api-products\n/);
    expect(run.output).not.toContain('API docs');

    const lines = run.output.split('\n').filter((line) => /^ {2}(curl|TOKEN)/.test(line));
    const { stdout } = await runFile('bash', ['-ec', lines.join('\n')]);
    expect(stdout.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', ...Array(2).fill('HTTP/1.1 200'), 'HTTP/1.1 403']);

    demo?.kill('SIGTERM');
    expect(await run.exit).toBe(0);
    const seen = commands();
    expect(seen.map((line) => line.split(' ')[0])).toEqual([
      ...[
        'init',
        'migrate',
        'rbac:seed',
        'admin:create',
        'password',
        'demo:seed',
        'serve',
        'servers',
        'plans',
        'app',
        'app',
      ],
      ...['app', 'app', 'serve'],
    ]);
    expect(seen).toContain('password 24');
    expect(seen.at(-1)).toBe('serve ended');
    expect(seen.join('\n')).not.toContain('production.example');
    expect(statSync(join(clone, '.scratch/demo/.demo-logins.json')).mode & 0o777).toBe(0o600);
  });

  it('prints links that sign in, whose hashes alone reach the portal and which no file keeps', async () => {
    const run = runDemo('--port', '0');
    await run.until('goes on with it.');
    const links = [...run.output.matchAll(/http:\/\/127\.0\.0\.1:\d+\/(portal|admin)\/demo-sign-in\/([\w-]{43})\n/g)];
    expect(links.map(([, surface]) => surface)).toEqual(['portal', 'admin']);
    const told = commands().filter((line) => line.includes('"hash"'));
    expect(told.map((line) => line.split(' ')[0])).toEqual(['serve']);
    const project = join(clone, '.scratch/demo');
    const files = readdirSync(project, { recursive: true, encoding: 'utf8' }).map((name) => join(project, name));
    const kept = files.filter((file) => lstatSync(file).isFile()).map((file) => readFileSync(file, 'utf8'));
    for (const [, , token = ''] of links) {
      expect([...kept, ...commands()].filter((text) => text.includes(token))).toEqual([]);
      expect(told[0]).toContain(createHash('sha256').update(token).digest('hex'));
    }
    expect(readFileSync(join(project, 'portal.config.ts'), 'utf8')).toContain('modules: [demoSignIn(portalkit)],');
    // What `npx portal` and the scripts of the project start.
    expect(readFileSync(join(project, 'node_modules/.bin/portal'), 'utf8')).toMatch(/^#!/);
  });

  it('begins with a tour, says when the first 200 came, and has a document that breaks callers at hand', async () => {
    const run = runDemo('--port', '0');
    await run.until('goes on with it.');
    expect(run.output).toMatch(/http:\/\/127\.0\.0\.1:\d+\/portal\/tour\/[\w-]{43}\n/);
    expect(run.output).toMatch(/The first 200 through the proxy, [\d.]+ s after the demo began/);
    const next = JSON.parse(readFileSync(join(clone, '.scratch/demo/exchange-rates-next.json'), 'utf8')) as object;
    expect(next).toMatchObject({ openapi: '3.1.0', paths: {} });
  });

  it('lets pages of the portal call its sample API, and names it first in the document of its product', async () => {
    const run = runDemo('--port', '0');
    await run.until('goes on with it.');
    const [, origin = ''] = /CATALOG_TRY_IT_ORIGINS=(http:\/\/127\.0\.0\.1:\d+)$/m.exec(commands().join('\n')) ?? [];
    const servers = commands().find((line) => line.startsWith('servers'));
    expect(servers).toBe(
      `servers ${JSON.stringify([
        { url: `${origin}/rates/v1`, description: 'The sample API of this demo' },
        { url: 'https://api.larkmere.example/rates/v1' },
      ])}`,
    );
    const [, page = ''] = /REST API {2}(http:\/\/[^/]+)/.exec(run.output) ?? [];
    const answer = await fetch(`${origin}/rates/v1/whoami`, { headers: { Origin: page, 'X-API-Key': "it's-a-key" } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, page]);
  });

  it('has an app that made 780 of the thousand calls of its plan, and one that goes on calling', async () => {
    const run = runDemo('--port', '0');
    await run.until('goes on with it.');
    const [plans, , , watch, desk] = commands().filter((line) => /^(plans|app) /.test(line));
    expect([plans, watch]).toEqual(['plans free partner', 'app price-watch after 2 calls']);
    expect(desk).toBe('app treasury-desk after 782 calls');
    const logins = JSON.parse(readFileSync(join(clone, '.scratch/demo/.demo-logins.json'), 'utf8')) as object;
    expect(logins).toMatchObject({ callerKey: "it's-a-key" });
  });

  const ended = async (run: Run) => {
    demo?.kill('SIGINT');
    expect(await run.exit).toBe(0);
  };
  const count = (command: string) => commands().filter((line) => line.startsWith(`${command} `)).length;

  it('goes on with the last project, and starts over with --fresh', async () => {
    const first = runDemo('--port', '0');
    await first.until('goes on with it.');
    await ended(first);
    const second = runDemo('--port', '0');
    await second.until('goes on with it.');
    expect(second.output).toMatch(/the app first-steps-[0-9a-f]{6},/);
    expect(second.output).toContain('npm run demo -- --fresh makes a new one');
    await ended(second);
    expect([count('init'), count('migrate')]).toEqual([1, 2]);
    const fresh = runDemo('--port', '0', '--fresh');
    await fresh.until('goes on with it.');
    await ended(fresh);
    expect([count('init'), count('migrate')]).toEqual([2, 3]);
  });

  it('leaves the folder of a demo that runs alone, with --fresh too', async () => {
    const first = runDemo('--port', '0');
    await first.until('goes on with it.');
    const running = demo;
    for (const flags of [[], ['--fresh']]) {
      const second = runDemo('--port', '0', ...flags);
      expect(await second.exit).toBe(1);
      expect(second.output).toMatch(
        new RegExp(`A demo is running already \\(process ${running?.pid}\\)\\. End it with Ctrl-C`),
      );
    }
    demo = running;
    expect(statSync(join(clone, '.scratch/demo/.demo-logins.json')).isFile()).toBe(true);
    await ended(first);
    expect(count('init')).toBe(1);
  });

  it('is not kept out by one that died', async () => {
    const first = runDemo('--port', '0');
    await first.until('goes on with it.');
    const pid = demo?.pid;
    await ended(first);
    writeFileSync(join(clone, '.scratch/demo.lock'), String(pid));
    const second = runDemo('--port', '0');
    await second.until('goes on with it.');
    await ended(second);
  });

  it('is shown to everybody with --public, and starts over when its time is up', async () => {
    const place = ['--public', 'http://demo.example:3000', '--port', '0', '--sample-port', '0'];
    const run = runDemo(...place, '--reset-every', '0.01');
    await run.until('Starting over');
    const begin = 'Everybody begins at http://demo.example:3000/portal/tour/start';
    expect(run.output).toContain(begin);
    await new Promise<void>((resolve) => {
      const look = () => run.output.split(begin).length === 3 && resolve();
      demo?.stdout?.on('data', look);
      look();
    });
    const started = commands().filter((line) => /^(init|serve ended|serve )/.test(line));
    expect(started.map((line) => line.split(' DATABASE_URL')[0]?.replace(/ --port \d+| \/.*/, ''))).toEqual([
      ...['init', 'serve', 'serve ended', 'init', 'serve'],
    ]);
    expect(started.at(-1)).toMatch(
      /CATALOG_TRY_IT_ORIGINS=http:\/\/demo\.example:\d+ APP_URL=http:\/\/demo\.example:3000 EVERYBODY=true$/,
    );
    // Nobody needs a password, and the log of a public demo is no place for one.
    expect(run.output).not.toContain("o'ne two");
    demo?.kill('SIGTERM');
    expect(await run.exit).toBe(0);
    expect(await runDemo('--reset-every', 'soon').exit).toBe(1);
  });

  it('takes another port when the wanted one is taken, and says which one was', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const run = runDemo('--port', String(port));
    await run.until('goes on with it.');
    expect(run.output).toMatch(new RegExp(`Port ${port} is taken by another program: the portal gets \\d+\\.`));
    expect(run.output).not.toContain(`127.0.0.1:${port}/`);
    holder.close();
  });

  it('shows what a failed step printed and exits 1', async () => {
    writeFileSync(join(clone, 'mode'), 'broken');
    const run = runDemo('--port', '0');
    expect(await run.exit).toBe(1);
    expect(run.output).toContain('SQLITE_CANTOPEN: no such folder');
    expect(run.output).toMatch(
      /The demo stopped\. Creating the database \(portal migrate\): ended with exit code 1\n$/,
    );
  });

  it('names a command line that is missing', async () => {
    rmSync(join(clone, 'bin'), { recursive: true });
    const run = runDemo('--port', '0');
    expect(await run.exit).toBe(1);
    expect(run.output).toContain('Cannot find module');
    expect(run.output).toContain('Scaffolding a host project (portal init): ended with exit code 1');
  });
});
