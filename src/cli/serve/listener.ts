import type { Portal } from '../../portal.js';
import type { ServerLog } from './server-log.js';
import { CommandFailedError } from '../errors.js';

type RunningServer = Awaited<ReturnType<Portal['listen']>>;

/** The listener of a portal, which some processes open only once they are ready. */
export class PortListener {
  private opening: Promise<RunningServer> | undefined;
  private port: number;

  constructor(
    private readonly portal: Portal,
    private readonly serverLog: ServerLog,
  ) {
    this.port = portal.config.server.port;
  }

  /** Starts listening; further calls do nothing. @throws CommandFailedError with a fix when the port is not available */
  async open(): Promise<void> {
    this.opening ??= this.listen();
    await this.opening;
  }

  async close(options?: Parameters<RunningServer['close']>[0]): Promise<void> {
    const server = await this.opening?.catch(() => undefined);
    await server?.close(options);
  }

  /** URL to open on this machine; with the port that was bound when 0 was configured. */
  get url(): string {
    const { host } = this.portal.config.server;
    const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
    return `http://${name}:${this.port}`;
  }

  private async listen(): Promise<RunningServer> {
    try {
      const server = await this.portal.listen();
      this.port = server.address.port;
      this.serverLog.say(`Listening on ${this.url}`, { url: this.url });
      return server;
    } catch (error) {
      throw explainListenFailure(error, this.portal.config.server);
    }
  }
}

const HIGHEST_PORT = 65_535;

/** Explains a system error of `listen`. Other errors are returned unchanged. */
function explainListenFailure(error: unknown, { host, port }: { host: string; port: number }): unknown {
  if (!(error instanceof Error)) return error;
  const fail = (message: string, fix: string) => new CommandFailedError(message, fix, { cause: error });
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE': {
      const other = port < HIGHEST_PORT ? port + 1 : port - 1;
      const fix = `stop what uses it, or take another port with portal serve --port ${other} (or SERVER_PORT)`;
      return fail(`Port ${port} of ${host} is in use.`, fix);
    }
    case 'EACCES':
      return fail(
        `This user may not listen on port ${port}.`,
        'take a port from 1024 on, and let a proxy stand in front',
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fail(
        `${host} is no address of this machine.`,
        'correct --host (or SERVER_HOST): 127.0.0.1 for this machine alone, 0.0.0.0 for all',
      );
    default:
      return error;
  }
}
