import type { PortalConfig } from '../config/index.js';

/** `app.url`, which in development follows the port that was really bound. */
export class PublicAddress {
  private url: string;

  constructor(private readonly config: PortalConfig) {
    this.url = config.app.url;
  }

  base(): string {
    return this.url;
  }

  hosts(): readonly string[] {
    return this.config.app.allowedHosts;
  }

  /** @param port the one that was bound when the configuration asked for any (0) */
  follow(port: number): void {
    if (this.config.server.port === 0) this.url = this.url.replace(/:0$/, `:${port}`);
  }
}
