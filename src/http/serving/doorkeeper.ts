import type { RequestListener } from 'node:http';

/**
 * Sits between a server and its application and can hold requests back. Clients that wait for an answer open no new
 * connection, so the server reaches a moment with no connection pending.
 */
export class Doorkeeper {
  private waiting: (() => void)[] | null = null;

  constructor(private readonly application: RequestListener) {}

  readonly listener: RequestListener = (request, response) => {
    const begin = () => this.application(request, response);
    if (this.waiting) this.waiting.push(begin);
    else begin();
  };

  hold(): void {
    this.waiting ??= [];
  }

  /** Starts all held requests, in order of arrival. */
  release(): void {
    const waiting = this.waiting ?? [];
    this.waiting = null;
    for (const begin of waiting) begin();
  }
}
