import type { Portal } from '../../portal.js';
import { explainListenFailure } from './listen-failure.js';
import type { Voice } from './voice.js';

type RunningServer = Awaited<ReturnType<Portal['listen']>>;

/** Where a portal lets people in, which not every process of it does from its start on. */
export class Doorway {
  private server: RunningServer | undefined;

  constructor(
    private readonly portal: Portal,
    private readonly voice: Voice,
  ) {}

  /** Listens from now on. @throws CommandFailedError with what to do when the port cannot be had */
  async open(): Promise<void> {
    if (this.server) return;
    try {
      this.server = await this.portal.listen();
    } catch (error) {
      throw explainListenFailure(error, this.portal.config.server);
    }
    this.voice.say(`Listening on ${this.url}`, { url: this.url });
  }

  async close(options?: Parameters<RunningServer['close']>[0]): Promise<void> {
    await this.server?.close(options);
  }

  /** The address for people on this machine; with the port that was found when 0 was asked for. */
  get url(): string {
    const { host, port } = this.portal.config.server;
    const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
    return `http://${name}:${this.server?.address.port ?? port}`;
  }
}
