import type { Portal } from '../../portal.js';
import { explainListenFailure } from './listen-failure.js';
import type { ServerLog } from './server-log.js';

type RunningServer = Awaited<ReturnType<Portal['listen']>>;

/** The listener of a portal, which some processes open only once they are ready. */
export class PortListener {
  private opening: Promise<RunningServer> | undefined;
  private port: number;

  constructor(
    private readonly portal: Portal,
    private readonly voice: ServerLog,
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
      this.voice.say(`Listening on ${this.url}`, { url: this.url });
      return server;
    } catch (error) {
      throw explainListenFailure(error, this.portal.config.server);
    }
  }
}
