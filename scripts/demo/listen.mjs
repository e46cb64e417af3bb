import { once } from 'node:events';
import { pathToFileURL } from 'node:url';

/**
 * Starts a server and answers where it is.
 * @param {import('node:http').Server} server
 * @param {{ port?: number, host?: string }} [options] port 0 (the default) takes a free one
 * @returns {Promise<{ url: string, port: number, close: () => Promise<void> }>}
 */
export async function listen(server, { port = 0, host = '127.0.0.1' } = {}) {
  server.listen(port, host);
  await once(server, 'listening');
  const bound = server.address().port;
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://${host}:${bound}`, port: bound, close };
}

/** Whether a file was started by `node file.mjs` rather than imported. */
export const startedDirectly = (moduleUrl) =>
  process.argv[1] !== undefined && moduleUrl === pathToFileURL(process.argv[1]).href;
