/**
 * Stands in for the portal's command line in the test of the demo script: the demo links the clone that it is in into the
 * project, where it then answers the commands and the few requests that the demo makes.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const [command, ...args] = process.argv.slice(2);
const clone = process.env.HOME; // the test points HOME at the clone: it is passed on to every child
const log = (line) => appendFileSync(join(clone, 'commands.log'), `${line}\n`);
const KEY = "it's-a-key";
/** As the last run left it. */
const SPEC = {
  openapi: '3.1.0',
  servers: [
    { url: 'http://127.0.0.1:1/rates/v1', description: 'The sample API of this demo' },
    { url: 'https://api.larkmere.example/rates/v1' },
  ],
};

const commands = {
  init([dir]) {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'portal.config.ts'), 'export default defineConfig({\n});\n');
  },
  migrate() {
    if (readFileSync(join(clone, 'mode'), 'utf8') !== 'broken') return;
    console.error('SQLITE_CANTOPEN: no such folder');
    process.exit(1);
  },
  'rbac:seed'() {},
  'admin:create'() {
    log(`password ${readFileSync(0, 'utf8').trim().length}`);
  },
  'demo:seed'() {
    const names = ['maya.haddad', 'tomas.lindqvist', 'aisha.rahman'];
    const developers = names.map((name) => ({ email: `${name}@example.com`, password: "o'ne two" }));
    console.log(JSON.stringify({ products: [{ slug: 'exchange-rates' }], developers }));
  },
  serve([, port]) {
    let revoked = false;
    let calls = 0;
    const replies = {
      'GET /api/v1/health': () => ({}),
      'GET /api/v1/api-products': () => [],
      'POST /api/v1/admin/auth/login': () => ({ access_token: 'admin' }),
      'PUT /api/v1/admin/products/exchange-rates/spec': ({ spec }) => {
        log(`servers ${JSON.stringify(spec.servers)}`);
        return {};
      },
      'POST /api/v1/admin/plans': ({ slug }) => ({ slug }),
      ...Object.fromEntries(
        ['free', 'partner'].flatMap((plan) => [
          [`POST /api/v1/admin/plans/${plan}/versions`, () => ({ number: 1 })],
          [`POST /api/v1/admin/plans/${plan}/versions/1/activate`, () => ({})],
        ]),
      ),
      'PUT /api/v1/admin/products/exchange-rates/plans': ({ plans }) => {
        log(`plans ${plans.join(' ')}`);
        return {};
      },
      'POST /api/v1/auth/login': ({ password }) => (password === "o'ne two" ? { access_token: 'token' } : undefined),
      'POST /api/v1/me/apps': ({ name }) => {
        log(`app ${name} after ${calls} calls`);
        return { name, credentials: [{ id: 5, consumer_key: KEY }] };
      },
      'POST /api/v1/me/apps/first-steps/credentials/5/revoke': () => (revoked = true),
    };
    const server = createServer(async (request, response) => {
      if (request.url.startsWith('/gateway/verify/exchange-rates')) {
        const key = request.headers['x-api-key'];
        calls += 1;
        response.writeHead(key === undefined ? 401 : revoked ? 403 : 200, { 'X-Portal-App': 'first-steps' });
        return response.end('{}');
      }
      if (request.method === 'GET' && request.url === '/api/v1/admin/products/exchange-rates/spec') {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        return response.end(JSON.stringify(SPEC));
      }
      let text = '';
      for await (const chunk of request) text += chunk;
      const data = replies[`${request.method} ${request.url}`]?.(text ? JSON.parse(text) : {});
      response.writeHead(data === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
      return response.end(JSON.stringify({ message: data === undefined ? 'Route not found.' : '', data }));
    });
    server.listen(Number(port), '127.0.0.1');
    process.on('SIGTERM', () => {
      log('serve ended');
      process.exit(0);
    });
  },
};

const { DATABASE_URL = '', CATALOG_TRY_IT_ORIGINS = '', DEMO_SIGN_IN_LINKS = '' } = process.env;
const { APP_URL, DEMO_SIGN_IN_EVERYBODY: everybody } = process.env;
const shown = APP_URL === undefined ? '' : ` APP_URL=${APP_URL} EVERYBODY=${everybody}`;
const told = `DATABASE_URL=${DATABASE_URL} DEMO_SIGN_IN_LINKS=${DEMO_SIGN_IN_LINKS}`;
log(`${[command, ...args].join(' ')} ${told} CATALOG_TRY_IT_ORIGINS=${CATALOG_TRY_IT_ORIGINS}${shown}`);
commands[command](args);
