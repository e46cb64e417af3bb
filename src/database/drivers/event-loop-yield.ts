import { setImmediate } from 'node:timers/promises';

const LONGEST_STRETCH_MS = 8;

let lastPause = performance.now();

/**
 * Yields to the event loop after statements have blocked it for 8 ms. SQLite answers synchronously, so a chain of
 * awaited queries is one long run of microtasks that no timer or socket can interrupt.
 */
export async function yieldToEventLoop(): Promise<void> {
  await setImmediate();
  lastPause = performance.now();
}

/** Whether the next statement must await {@link yieldToEventLoop}. Checked first, because most need no promise at all. */
export function isPauseDue(): boolean {
  return performance.now() - lastPause >= LONGEST_STRETCH_MS;
}
