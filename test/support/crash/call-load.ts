import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** A moment in which calls were answered. */
interface Slice {
  readonly begin: number;
  answered: number;
}

const SLICE_MS = 100;
/** Refused connections fail at once; retrying them without a pause would use all of the CPU. */
const PAUSE_AFTER_FAILURE_MS = 20;

/** Clients of one portal that ask about keys like a proxy, until they are stopped. */
export class CallLoad {
  /** Calls answered with 200. */
  answered = 0;
  /** Calls answered with anything else, by status. */
  readonly refused: Record<string, number> = {};
  /** Calls without an answer: whether they were counted is not known. */
  unanswered = 0;
  private readonly slices: Slice[] = [];
  private readonly agent: Agent;
  private readonly clients: Promise<void>[];
  private isOver = false;

  /** @param keys asked about in turn */
  constructor(
    private readonly url: string,
    private readonly keys: readonly string[],
    clients = 8,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: clients });
    this.clients = Array.from({ length: clients }, (_, client) => this.call(client));
  }

  /** Resolves once so many calls were allowed, or nobody calls any more. */
  async until(answered: number): Promise<void> {
    while (this.answered < answered && !this.isOver) await pause(5);
  }

  /** Resolves once every call has ended. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.clients);
    this.agent.destroy();
  }

  /** Calls answered after a moment, by `performance.now()`. */
  answeredSince(moment: number): number {
    return this.slices.reduce((sum, { begin, answered }) => (begin + SLICE_MS >= moment ? sum + answered : sum), 0);
  }

  private async call(client: number): Promise<void> {
    for (let turn = client; !this.isOver; turn += 1) {
      const status = await this.ask(this.keys[turn % this.keys.length] ?? '').catch(() => null);
      if (status === 200) this.note();
      else if (status !== null) this.refused[status] = (this.refused[status] ?? 0) + 1;
      else {
        this.unanswered += 1;
        await pause(PAUSE_AFTER_FAILURE_MS);
      }
    }
  }

  private note(): void {
    this.answered += 1;
    const now = performance.now();
    const last = this.slices.at(-1);
    if (last && now - last.begin < SLICE_MS) last.answered += 1;
    else this.slices.push({ begin: now, answered: 1 });
  }

  private ask(key: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const options = { agent: this.agent, headers: { 'X-API-Key': key } };
      const sent = request(`${this.url}/gateway/verify/payments`, options, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end();
    });
  }
}
