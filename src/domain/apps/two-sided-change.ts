import type { Logger } from '../../kernel/index.js';

/** A change of something that gateway and portal both keep. */
export interface TwoSidedChange<T> {
  /** At the gateway. */
  push(): Promise<void>;
  /** In the portal's database, with its events. */
  write(): Promise<T>;
  /** Brings the gateway back. */
  undo(): Promise<void>;
  /** Whether `push` lets more through than before. A push that failed half way is then taken back too. */
  opens: boolean;
}

/**
 * The gateway first, then the portal, never with a transaction open while the gateway is asked (R12). When one side fails,
 * the other is brought back. If the process dies in between, the portal shows the old state; doing the same thing again,
 * or its opposite, always reaches the gateway and heals it.
 */
export async function applyChange<T>({ push, write, undo, opens }: TwoSidedChange<T>, logger: Logger): Promise<T> {
  try {
    await push();
  } catch (error) {
    if (opens) await attempt(undo, logger);
    throw error;
  }
  try {
    return await write();
  } catch (error) {
    await attempt(undo, logger);
    throw error;
  }
}

/** Does what repairs a failure; a failure of its own is logged and must not hide the first one. */
export async function attempt(repair: () => Promise<unknown>, logger: Logger): Promise<boolean> {
  try {
    await repair();
    return true;
  } catch (error) {
    logger.error({ err: error }, 'portal and gateway may disagree: a failed change could not be taken back');
    return false;
  }
}
