import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { execa } from 'execa';
import { requireService } from '../support/binaries.js';
import { describeWith } from '../support/describe-with.js';
import { freePort } from '../support/ports.js';
import type { ServingPortal } from '../support/portal-process.js';
import { startPrivately, type PrivateService } from '../support/private-process.js';
import { createProject, type Project } from '../support/project.js';
import { dialectUnderTest } from '../support/test-database.js';
import { publishedProject } from './support.js';

const HOST = 'portal.test';
const LOGIN = '/api/v1/auth/login';

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Version 1.2.34 as 10234. */
async function versionOf(nginx: string): Promise<number> {
  const { stderr } = await execa(nginx, ['-v']);
  const [, major, minor, patch] = /nginx\/(\d+)\.(\d+)\.(\d+)/.exec(stderr) ?? [];
  return Number(major) * 10_000 + Number(minor) * 100 + Number(patch);
}

/** The nginx.conf that is published, at other places; an older nginx than it asks for misses what came since. */
function atOtherPlaces(text: string, directory: string, replicas: readonly string[], version: number): string {
  const [first = '', second = ''] = replicas.map((url) => new URL(url).host);
  const moved = text
    .replaceAll('/tmp/', `${directory}/`)
    .replaceAll('/etc/nginx/tls/', `${directory}/`)
    .replace('portal-a:3000', first)
    .replace('portal-b:3000', second)
    // In the image nginx is not root; here its workers would become somebody who may not enter the folder.
    .replace(/^/, process.getuid?.() === 0 ? 'user root;\ndaemon off;\n' : 'daemon off;\n')
    // Names of Docker, which nobody resolves here.
    .replace(/^ *resolver .*\n/m, '')
    .replaceAll(' resolve ', ' ');
  return version >= 12_501 ? moved : moved.replace(/^ *http2 on;\n/m, '');
}

describeWith('nginx', 'nginx.conf of portal publish docker, before two replicas', () => {
  let project: Project;
  let replicas: ServingPortal[];
  let nginx: PrivateService;
  let tlsPort: number;

  beforeAll(async () => {
    const config = {
      app: { url: `https://${HOST}`, trustProxy: 1 },
      // As in production, where nginx is told by the last answer of each connection.
      server: { drainDelay: 1 },
      limits: { ip: { requests: { max: 5 } } },
    };
    project = await createProject(dialectUnderTest(), config);
    replicas = [await project.serve(), await project.serve()];
    const text = readFileSync(join(await publishedProject('docker'), 'deploy/nginx.conf'), 'utf8');
    const program = requireService('nginx');
    const version = await versionOf(program);
    nginx = await startPrivately('nginx', async ({ port, directory }) => {
      tlsPort = await freePort();
      const files = ['-keyout', join(directory, 'privkey.pem'), '-out', join(directory, 'fullchain.pem')];
      await execa('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${HOST}`, ...files]);
      const urls = replicas.map(({ url }) => url);
      const own = atOtherPlaces(text, directory, urls, version)
        .replace('listen 8080', `listen 127.0.0.1:${port}`)
        .replace('listen 8443', `listen 127.0.0.1:${tlsPort}`);
      writeFileSync(join(directory, 'nginx.conf'), own);
      return { program, arguments: ['-e', 'stderr', '-c', join(directory, 'nginx.conf')] };
    });
  });
  afterAll(async () => {
    await nginx?.stop();
    await Promise.all((replicas ?? []).map((replica) => replica.stop()));
    await project?.remove();
  });

  const ask = (method: string, path: string, headers: Record<string, string> = {}, body = '') =>
    new Promise<Answer>((resolve, reject) => {
      const own = { host: HOST, ...(body && { 'content-type': 'application/json' }), ...headers };
      const sent = { method, path, headers: own, host: '127.0.0.1', port: tlsPort, rejectUnauthorized: false };
      const asked = request(sent, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      asked.on('error', reject);
      asked.end(body);
    });

  it('sends plain http to https', async () => {
    const url = `http://127.0.0.1:${nginx.port}/portal?page=2`;
    const response = await fetch(url, { redirect: 'manual' });
    expect(response.status).toBe(308);
    expect(response.headers.get('location')).toBe('https://127.0.0.1/portal?page=2');
    expect((await fetch(`http://127.0.0.1:${nginx.port}/nginx-health`)).status).toBe(200);
  });

  it('serves pages and API over TLS, with cookies for https alone', async () => {
    const page = await ask('GET', '/portal/login', { accept: 'text/html' });
    expect(page.status).toBe(200);
    expect(page.headers['strict-transport-security']).toMatch(/^max-age=/);
    expect(String(page.headers['set-cookie'])).toMatch(/__Host-.*Secure/i);
    expect(page.headers['server']).toBe('nginx');
    expect((await ask('GET', '/api/v1/api-products')).status).toBe(200);
  });

  it('leaves it to the portal which hosts are ours', async () => {
    expect((await ask('GET', '/portal', { host: 'evil.example' })).status).toBe(400);
  });

  it('passes uploads on, up to what the portal takes', async () => {
    expect((await ask('POST', LOGIN, {}, JSON.stringify({ email: 'x'.repeat(2_000_000) }))).status).toBe(413);
    const { text } = await ask('POST', LOGIN, {}, JSON.stringify({ email: 'x'.repeat(2_000_000) }));
    expect(JSON.parse(text)).toMatchObject({ success: false });
  });

  it('goes on without one failed request while a replica ends', async () => {
    const statuses: number[] = [];
    let isOver = false;
    const asking = (async () => {
      while (!isOver) {
        statuses.push((await ask('GET', '/api/v1/api-products')).status);
        statuses.push((await ask('POST', '/api/v1/auth/forgot-password', {}, '{"email":"nobody@"}')).status);
      }
    })();
    while (statuses.length < 10) await ask('GET', '/api/v1/health');
    expect(await replicas[0]?.stop()).toBe(0);
    const { length } = statuses;
    while (statuses.length < length + 20) await ask('GET', '/api/v1/health');
    isOver = true;
    await asking;
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    expect(nginx.log()).not.toMatch(/HTTP\/1\.1" 5\d\d /);
  });

  it('tells the portal who asks, whatever they claim (S17)', async () => {
    const claims = Array.from({ length: 8 }, (_, index) => ({ 'x-forwarded-for': `203.0.113.${index}` }));
    const statuses: number[] = [];
    for (const claim of claims) statuses.push((await ask('POST', LOGIN, claim, '{}')).status);
    expect(statuses).toContain(429);
    expect((await ask('POST', LOGIN, { forwarded: 'for=203.0.113.9' }, '{}')).status).toBe(429);
  });

  it('writes no token of a link and no query into its log (S69)', async () => {
    // One replica has ended above: a part of these meets it, which is worth a line in the log of errors.
    for (const page of ['reset-password', 'verify-email', 'login']) {
      for (const path of [`/portal/${page}/canary-token`, `/portal/${page}?token=canary-token`]) {
        for (let time = 0; time < 6; time++) await ask('GET', page === 'login' ? '/portal/login?next=canary' : path);
      }
    }
    for (const page of ['reset-password', 'verify-email']) {
      expect(nginx.log()).toContain(`"GET /portal/${page}/*** HTTP/1.1"`);
    }
    expect(nginx.log()).not.toContain('canary');
    expect(nginx.log()).toMatch(/"GET \/portal\/login HTTP\/1\.1" 200 .* upstream=\S+, \S+ answered=502, 200/);
  });
});
