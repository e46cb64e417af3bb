import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { ServiceUnavailableError } from '../../core/index.js';
import type { PasswordHasher, PasswordCheck } from './contracts.js';

/** argon2id; `const enum Algorithm.Argon2id` is not visible under isolatedModules. */
const ARGON2ID = 2;
/** OWASP Password Storage: m=19456 KiB, t=2, p=1; salt 16 bytes (the library's own), tag 32 bytes (S01). */
const PARAMETERS = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 };
/** Upper bounds for a stored hash's cost: a planted row must not exhaust the machine (S02). */
const MAX_MEMORY_KIB = 1024 * 1024;
const MAX_TIME = 10;
const MAX_BCRYPT_COST = 14;
const MAX_WAITING = 64;

type Lane = 'verify' | 'hash';
const OTHER = { verify: 'hash', hash: 'verify' } as const;

/**
 * Runs a few jobs at once and queues a few more, so that a burst of sign-ins never fills the thread pool (S03).
 * Verifying and hashing have separate queues that take turns: however many passwords are being set, sign-ins still get
 * queue space and half of the capacity.
 */
class Gate {
  private running = 0;
  private turn: Lane = 'verify';
  private readonly waiting: Readonly<Record<Lane, (() => void)[]>> = { verify: [], hash: [] };

  constructor(
    private readonly atOnce: number,
    private readonly maxWaiting: number,
  ) {}

  /** @throws ServiceUnavailableError when the queue is full */
  async run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.running >= this.atOnce) await this.wait(this.waiting[lane]);
    else this.running += 1;
    try {
      return await work();
    } finally {
      const next = this.next();
      if (next) next();
      else this.running -= 1;
    }
  }

  private next(): (() => void) | undefined {
    const lane = this.waiting[this.turn].length > 0 ? this.turn : OTHER[this.turn];
    this.turn = OTHER[lane];
    return this.waiting[lane].shift();
  }

  private wait(line: (() => void)[]): Promise<void> {
    if (line.length >= this.maxWaiting) {
      throw new ServiceUnavailableError(1, { detail: 'the password hashing queue is full' });
    }
    return new Promise((resolve) => line.push(resolve));
  }
}

/** argon2id in the thread pool, at most min(4, cores) at once; queues up to 64 verifications and 64 hashes. */
export class Argon2Hasher implements PasswordHasher {
  private readonly gate = new Gate(Math.min(4, availableParallelism()), MAX_WAITING);
  private decoy: Promise<string> | undefined;

  hash(password: string): Promise<string> {
    return this.gate.run('hash', () => hash(password, PARAMETERS));
  }

  async verify(password: string, stored: string): Promise<PasswordCheck> {
    if (isBcrypt(stored)) {
      // Loaded for the first imported account that signs in; most portals have none.
      const bcrypt = await import('@node-rs/bcrypt');
      const matches = await this.gate.run('verify', () => bcrypt.verify(password, stored));
      return { matches, outdated: matches };
    }
    const cost = argon2Cost(stored);
    if (!cost || cost.memory > MAX_MEMORY_KIB || cost.time > MAX_TIME) {
      // An account without a usable password, as from an identity provider, takes as long as any other (S08).
      await this.verifyNothing(password);
      return { matches: false, outdated: false };
    }
    const matches = await this.gate.run('verify', () => verify(stored, password));
    const outdated =
      cost.memory < PARAMETERS.memoryCost || (cost.memory === PARAMETERS.memoryCost && cost.time < PARAMETERS.timeCost);
    return { matches, outdated: matches && outdated };
  }

  async verifyNothing(password: string): Promise<void> {
    this.decoy ??= this.hash('no account has this password');
    await this.verify(password, await this.decoy);
  }
}

/** bcrypt hashes come with imported accounts, for example from a Laravel portal (`$2y$`). */
function isBcrypt(stored: string): boolean {
  const cost = /^\$2[aby]\$(\d{2})\$[./A-Za-z0-9]{53}$/.exec(stored)?.[1];
  return cost !== undefined && Number(cost) <= MAX_BCRYPT_COST;
}

function argon2Cost(stored: string): { memory: number; time: number } | null {
  const found = /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,4}),p=\d{1,3}\$/.exec(stored);
  return found ? { memory: Number(found[1]), time: Number(found[2]) } : null;
}
