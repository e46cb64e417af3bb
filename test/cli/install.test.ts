import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { installDependencies } from '../../src/cli/project/install.js';
import { CommandFailedError } from '../../src/cli/errors.js';
import { createUi } from '../../src/cli/terminal-ui.js';
import { folderWith } from '../config/support.js';
import { freePort } from '../support/ports.js';

let server: Server | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  if (server?.listening === true) await new Promise((resolve) => server?.close(resolve));
});

async function install(port: number) {
  const folder = await folderWith({
    'package.json': '{"name":"acme","dependencies":{"left-pad":"1.3.0"}}',
    '.npmrc': `registry=http://127.0.0.1:${port}/\ncache=\${PWD}/cache\n`,
  });
  const stderr = new PassThrough();
  const ui = createUi({ stdin: new PassThrough(), stdout: new PassThrough(), stderr }, false);
  const error = await installDependencies(folder, ui, 4_000).catch((reason: unknown) => reason);
  return { error, said: String(stderr.read() ?? '') };
}

describe('installing a project without a registry', () => {
  it.each(['refuses', 'hangs'])(
    'ends with the reason when it %s, long before npm gives up',
    async (how) => {
      let port = await freePort();
      if (how === 'hangs') {
        server = createServer((socket) => {
          sockets.push(socket.on('error', () => undefined));
        });
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        ({ port } = server.address() as AddressInfo);
      }
      const { error, said } = await install(port);
      expect(error).toBeInstanceOf(CommandFailedError);
      expect((error as CommandFailedError).message).toMatch(
        new RegExp(
          `^npm install failed: the registry http://127\\.0\\.0\\.1:${port}/ cannot be reached \\([A-Z_]+\\)\\.$`,
        ),
      );
      expect((error as CommandFailedError).fix).toContain('run npm install in');
      expect(said).toContain('Installing dependencies');
    },
    120_000,
  );
});
