import type { Clock } from '../core/index.js';

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  private time: number;

  constructor(start = '2026-06-01T12:00:00.000Z') {
    this.time = new Date(start).getTime();
  }

  now(): Date {
    return new Date(this.time);
  }

  /** @param seconds negative to jump back */
  advance(seconds: number): void {
    this.time += seconds * 1000;
  }
}
