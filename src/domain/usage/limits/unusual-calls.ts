import { AppUsageUnusualEvent } from '../events.js';
import { findBusyPairs, findFirstHour, sumHours, type BusyHour } from '../usage-queries.js';
import { dayOf, HOUR_MS, hourOf, HOURS_OF_DAY } from '../usage.js';
import { alertOnce, type AlertParts } from './usage-alert.js';

/** An hour is judged so long after its end: by then every process has written its calls. */
const WRITTEN_AFTER_MS = 2 * 60_000;
const FACTOR = 3;
/** So few calls in an hour are never unusual. */
const LEAST_CALLS = 100;
const MOST_DAYS = 28;
/** Whoever began to call more recently has no habit. */
const LEAST_DAYS = 7;

/** Tells when an app made more than three times as many calls of a product in an hour as it usually does at that time of day: once a day. */
export class UnusualCalls {
  /** The last hour, since 1970, that this process has judged. */
  private judged: number | null = null;

  constructor(private readonly parts: AlertParts) {}

  /** Judges the hour that ended last, refused calls included. @throws DatabaseUnavailableError */
  async run(stopping: AbortSignal): Promise<void> {
    const hour = hourOf(new Date(this.parts.clock.now().getTime() - WRITTEN_AFTER_MS)) - 1;
    if (hour === this.judged) return;
    for (const busy of await findBusyPairs(this.parts.database, hour, LEAST_CALLS)) {
      if (stopping.aborted) return;
      await this.judge(busy, hour);
    }
    this.judged = hour;
  }

  private async judge({ appId, productId, product, calls }: BusyHour, hour: number): Promise<void> {
    const usual = await this.readUsual(appId, productId, hour);
    if (usual === null || calls <= FACTOR * usual) return;
    const start = new Date(hour * HOUR_MS);
    const alert = { productId, kind: 'unusual', quota: 0, threshold: 0, endsOn: dayOf(start) + 1 } as const;
    const fact = { product, hour: start, calls, usual };
    await alertOnce(
      this.parts,
      appId,
      [alert],
      (app, occurredAt) => new AppUsageUnusualEvent({ ...fact, app, occurredAt }),
    );
  }

  /** The median of the same hour on the days before; null for an app that began less than a week before. */
  private async readUsual(appId: number, productId: number, hour: number): Promise<number | null> {
    const { database } = this.parts;
    const oldest = await findFirstHour(database, appId, productId);
    const days = Math.min(MOST_DAYS, Math.floor((hour - (oldest ?? hour)) / HOURS_OF_DAY));
    if (days < LEAST_DAYS) return null;
    const hours = Array.from({ length: days }, (_, index) => hour - (index + 1) * HOURS_OF_DAY);
    const counts = await sumHours(database, appId, productId, hours);
    // Hours without calls have no row.
    return median([...counts, ...Array<number>(days - counts.length).fill(0)]);
  }
}

function median(numbers: number[]): number {
  numbers.sort((a, b) => a - b);
  const middle = numbers.length / 2;
  return ((numbers[Math.floor(middle)] ?? 0) + (numbers[Math.ceil(middle) - 1] ?? 0)) / 2;
}
