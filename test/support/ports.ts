import { createServer } from 'node:net';

/** A loopback port that was free a moment ago. Another process may take it first: whoever binds it must be ready to ask again. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new Error('the probe for a free port got no port');
  return address.port;
}
