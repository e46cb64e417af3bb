import type { RequestListener } from 'node:http';

/**
 * Stands between a server and its application. While it holds, requests are taken and wait: clients that wait for an answer
 * open no new connection, and the server comes to the moment at which nobody is about to come in.
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

  /** All that wait begin, in the order in which they came. */
  release(): void {
    const waiting = this.waiting ?? [];
    this.waiting = null;
    for (const begin of waiting) begin();
  }
}
