import { createHash } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { PwnedPasswords } from '../../../src/domain/accounts/pwned-passwords.js';
import { silentLogger } from '../../../src/core/index.js';
import { OutboundFetcher } from '../../../src/outbound/index.js';
import { TestClient } from '../../support/http-client.js';

const PASSWORD = 'an old and leaked one';
const DIGEST = createHash('sha1').update(PASSWORD).digest('hex').toUpperCase();

let service: TestClient | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function serve(listener: RequestListener, deadline = 500) {
  service = await TestClient.start(listener);
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (_: unknown, message: string) => void warnings.push(message) };
  const parts = { logger, outbound: new OutboundFetcher({ allow: [] }) };
  return { leaked: new PwnedPasswords(`${service.url}/range/`, parts, deadline), warnings };
}

function pour(response: ServerResponse): void {
  while (!response.destroyed && response.write(`${DIGEST.slice(5)}:17\r\n`.repeat(1_000)));
  if (!response.destroyed) response.once('drain', () => pour(response));
}

describe('the check for leaked passwords', () => {
  it('finds a password by the first five characters of its SHA-1, and sends no more', async () => {
    const asked: unknown[] = [];
    const { leaked } = await serve((request, response) => {
      asked.push(request.url, request.headers['add-padding']);
      response.end(`${'0'.repeat(35)}:3\r\n${DIGEST.slice(5)}:17\r\n`);
    });
    expect(await leaked.includes(PASSWORD)).toBe(true);
    expect(await leaked.includes(`${PASSWORD}!`)).toBe(false);
    expect(asked.slice(0, 2)).toEqual([`/range/${DIGEST.slice(0, 5)}`, 'true']);
  });

  it('takes padding for what it is', async () => {
    const { leaked } = await serve((_request, response) => response.end(`${DIGEST.slice(5)}:0`));
    expect(await leaked.includes(PASSWORD)).toBe(false);
  });

  const broken: [string, RequestListener][] = [
    ['hangs', () => undefined],
    ['hangs in the middle of its answer', (_request, response) => void response.write(`${DIGEST.slice(5)}:17`)],
    ['answers with an error', (_request, response) => response.writeHead(503).end('busy')],
    ['redirects', (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['answers without end', (_request, response) => void pour(response)],
    ['closes the connection', (request) => request.socket.destroy()],
  ];
  it.each(broken)('lets a password pass with a warning when the service %s', async (_case, listener) => {
    const { leaked, warnings } = await serve(listener, 50);
    expect(await leaked.includes(PASSWORD)).toBe(false);
    expect(warnings).toEqual(['the check for leaked passwords failed and was skipped']);
  });
});
