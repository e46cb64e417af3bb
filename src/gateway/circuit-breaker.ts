import type { Clock } from '../core/index.js';
import { GatewayUnavailableError } from './errors.js';

/** Opens after five failures in a row, or ten of at least twenty calls within ten seconds; retries after ten (R11). */
const IN_A_ROW = 5;
const SAMPLE = 20;
const SHARE = 0.5;
const WINDOW_MS = 10_000;
const COOL_DOWN_MS = 10_000;

/** Outcome of a call for the health of the backend; `none`: it was never made. */
export type BackendOutcome = 'good' | 'bad' | 'none';

/** Spares a failing backend, and callers the wait for it. State is per process. */
export class CircuitBreaker {
  private recent: { readonly at: number; readonly isBad: boolean }[] = [];
  private inARow = 0;
  private openedAt: number | null = null;
  private isTrying = false;

  constructor(
    private readonly clock: Clock,
    private readonly name: string,
    private readonly onOpen: () => void = () => undefined,
  ) {}

  /** Whether the backend counts as down; the probe call determines whether it still is. */
  get isOpen(): boolean {
    return this.openedAt !== null;
  }

  /**
   * Call it before a request, and the returned function after it, in every case.
   * @throws GatewayUnavailableError while the circuit is open
   */
  enter(): (outcome: BackendOutcome) => void {
    if (this.openedAt === null) return (outcome) => this.note(outcome);
    const waited = this.now() - this.openedAt;
    // A clock that was set back must not keep it open longer (R29).
    if (this.isTrying || (waited >= 0 && waited < COOL_DOWN_MS)) {
      const seconds = Math.max(1, (COOL_DOWN_MS - waited) / 1000);
      throw new GatewayUnavailableError(seconds, { detail: `${this.name} failed repeatedly and is left alone` });
    }
    this.isTrying = true;
    return (outcome) => this.judge(outcome);
  }

  private judge(outcome: BackendOutcome): void {
    this.isTrying = false;
    if (outcome === 'bad') this.openedAt = this.now();
    if (outcome === 'good') this.close();
  }

  private note(outcome: BackendOutcome): void {
    if (outcome === 'none') return;
    const isBad = outcome === 'bad';
    const at = this.now();
    this.inARow = isBad ? this.inARow + 1 : 0;
    this.recent = [...this.recent.filter((call) => Math.abs(at - call.at) < WINDOW_MS), { at, isBad }].slice(-SAMPLE);
    const bad = this.recent.filter((call) => call.isBad).length;
    if (this.inARow < IN_A_ROW && !(this.recent.length >= SAMPLE && bad >= SAMPLE * SHARE)) return;
    // Calls that were in flight when it opened carry no new information.
    if (this.openedAt === null) {
      this.openedAt = at;
      this.onOpen();
    }
  }

  private close(): void {
    this.openedAt = null;
    this.inARow = 0;
    this.recent = [];
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}
