import { setImmediate } from 'node:timers/promises';

const LONGEST_STRETCH_MS = 8;

let lastPause = performance.now();

/**
 * Lets the event loop turn when statements have kept it for 8 ms. SQLite answers synchronously, so a chain of awaited
 * queries is one long run of microtasks that no timer and no socket can interrupt.
 */
export async function yieldToEventLoop(): Promise<void> {
  await setImmediate();
  lastPause = performance.now();
}

/** Whether the next statement has to wait for {@link yieldToEventLoop}. Asked first, since most need not even wait for a promise. */
export function isPauseDue(): boolean {
  return performance.now() - lastPause >= LONGEST_STRETCH_MS;
}
