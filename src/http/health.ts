import { ServiceUnavailableError, within, type Clock } from '../core/index.js';

/**
 * A dependency that this process cannot serve without. Resolves when it is healthy; otherwise rejects or takes too
 * long.
 */
export interface ReadinessCheck {
  readonly name: string;
  /** No request is admitted before this check first passes: they would only fail. */
  readonly essential?: boolean;
  check(): Promise<void>;
}

export interface Readiness {
  ready: boolean;
  /** Names of the failing checks, for the log and `doctor`; never sent to clients (R02). */
  failing: readonly string[];
}

const CACHE_MS = 1000;
const DEADLINE_MS = 500;
/** How long the first requests of a process wait for what it cannot serve without: on a busy machine half a second is soon over. */
const ADMISSION_MS = 2_000;

/** Readiness of this process (R02): all checks within 500 ms, cached for 1 s, and false at once while draining. */
export class ReadinessProbe {
  private draining = false;
  private opened = false;
  private cached: { at: number; result: Promise<Readiness> } | undefined;
  private admission: Promise<string | undefined> | undefined;

  constructor(
    private readonly checks: readonly ReadinessCheck[],
    private readonly clock: Clock,
  ) {}

  /** Not ready from now on, whatever the checks report; the first step of a shutdown (R03). */
  drain(): void {
    this.draining = true;
  }

  get isDraining(): boolean {
    return this.draining;
  }

  async read(): Promise<Readiness> {
    if (this.draining) return { ready: false, failing: ['draining'] };
    const now = this.clock.now().getTime();
    // A clock that went backwards must not keep an old result alive (R29).
    if (!this.cached || Math.abs(now - this.cached.at) >= CACHE_MS) this.cached = { at: now, result: this.runChecks() };
    return this.cached.result;
  }

  /** Whether requests are admitted; this never reverts, so {@link admit} need not be called again. */
  get isOpen(): boolean {
    return this.opened;
  }

  /** @throws ServiceUnavailableError until the essential checks have once passed together */
  async admit(): Promise<void> {
    if (this.opened) return;
    const missing = await (this.admission ??= this.findMissing());
    if (missing) throw new ServiceUnavailableError(2, { detail: `${missing}: not ready yet` });
  }

  /** One question at a time, for all requests that wait for its answer. @returns the first essential check that fails */
  private async findMissing(): Promise<string | undefined> {
    try {
      for (const { name, essential, check } of this.checks) {
        if (essential && !(await passes(check, ADMISSION_MS))) return name;
      }
      this.opened = true;
      return undefined;
    } finally {
      this.admission = undefined;
    }
  }

  private async runChecks(): Promise<Readiness> {
    const outcomes = await Promise.all(
      this.checks.map(({ name, check }) => passes(check, DEADLINE_MS).then((passed) => ({ name, passed }))),
    );
    const failing = outcomes.filter(({ passed }) => !passed).map(({ name }) => name);
    // Permanent: once open, a check that times out on a busy machine must not block requests.
    this.opened ||= this.essentialOf(failing) === undefined;
    return { ready: failing.length === 0, failing };
  }

  private essentialOf(failing: readonly string[]): string | undefined {
    return this.checks.find(({ name, essential }) => essential && failing.includes(name))?.name;
  }
}

async function passes(check: () => Promise<void>, deadlineMs: number): Promise<boolean> {
  try {
    await within(deadlineMs, check());
    return true;
  } catch {
    return false;
  }
}
