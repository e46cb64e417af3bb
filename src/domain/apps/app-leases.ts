import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Op, type Database } from '../../database/index.js';
import { addSeconds, ConflictError, latestEnd, NotFoundError, type Clock } from '../../core/index.js';
import { appRecord } from './app/app.js';

/** A crashed process's lease is free after this time; a live holder renews it in time. */
export const LEASE_S = 30;
const RENEWAL_MS = (LEASE_S * 1000) / 3;
const PATIENCE_MS = 5_000;
const LONGEST_PAUSE_MS = 60;

/**
 * Serialises the changes of one app across replicas. Each change spans the gateway and the database; a concurrent
 * revocation and approval could otherwise leave a key open that the portal shows as revoked. It is a lease in the row
 * and not a lock, because no transaction may be open during a gateway call (R12).
 */
export class AppLeases {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @throws NotFoundError when the app is gone, ConflictError when another change holds the lease for too long */
  async hold<T>(appId: number, run: () => Promise<T>): Promise<T> {
    const token = randomUUID();
    await this.acquire(appId, token);
    try {
      return await this.keep(appId, token, run);
    } finally {
      await this.release(appId, token);
    }
  }

  /** The same without waiting. @returns false when the lease is taken or the app is gone */
  async holdNow(appId: number, run: () => Promise<void>): Promise<boolean> {
    const token = randomUUID();
    if (!(await this.take(appId, token))) return false;
    try {
      await this.keep(appId, token, run);
      return true;
    } finally {
      await this.release(appId, token);
    }
  }

  /** Renews a lease that was taken elsewhere while `run` is working. */
  async keep<T>(appId: number, token: string, run: () => Promise<T>): Promise<T> {
    const timer = setInterval(() => void this.renew(appId, token), RENEWAL_MS);
    timer.unref();
    try {
      return await run();
    } finally {
      clearInterval(timer);
    }
  }

  private async renew(appId: number, token: string): Promise<void> {
    const leaseUntil = addSeconds(this.clock.now(), LEASE_S);
    try {
      await appRecord.update(this.database, { id: appId, leaseToken: token }, { leaseUntil });
    } catch {
      // Retried at the next renewal. If the lease expires first, the commit is refused (`OperationLog.settle`).
    }
  }

  private async release(appId: number, token: string): Promise<void> {
    const held = { id: appId, leaseToken: token };
    try {
      await appRecord.update(this.database, held, { leaseToken: null, leaseUntil: null });
    } catch {
      // The change itself has already succeeded or failed; the lease expires on its own.
    }
  }

  private async acquire(appId: number, token: string): Promise<void> {
    const start = this.clock.now().getTime();
    while (!(await this.take(appId, token))) {
      if (!(await appRecord.has(this.database, { id: appId }))) throw new NotFoundError();
      // A clock that went backwards must not extend the wait (R29).
      if (Math.abs(this.clock.now().getTime() - start) > PATIENCE_MS) {
        const fault = 'Another change of this app is still running; try again in a moment.';
        throw new ConflictError({ errors: { app: [fault] }, detail: `app ${appId}` });
      }
      await sleep(10 + Math.random() * LONGEST_PAUSE_MS);
    }
  }

  private async take(appId: number, token: string): Promise<boolean> {
    const now = this.clock.now();
    const free = { [Op.or]: [null, { [Op.lte]: now }, { [Op.gt]: latestEnd(now, LEASE_S) }] };
    const taken = { leaseToken: token, leaseUntil: addSeconds(now, LEASE_S) };
    return (await appRecord.update(this.database, { id: appId, leaseUntil: free }, taken)) === 1;
  }
}
