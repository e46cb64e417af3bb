import { setImmediate } from 'node:timers/promises';

const LONGEST_STRETCH_MS = 8;

let lastPause = performance.now();

/**
 * Lets the event loop turn when statements have kept it for 8 ms. SQLite answers synchronously, so a chain of awaited
 * queries is one long run of microtasks that no timer and no socket can interrupt.
 */
export async function pace(): Promise<void> {
  if (performance.now() - lastPause < LONGEST_STRETCH_MS) return;
  await setImmediate();
  lastPause = performance.now();
}
