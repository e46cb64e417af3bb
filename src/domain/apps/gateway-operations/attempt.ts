import type { Logger } from '../../../core/index.js';

/** Does what repairs a failure; a failure of its own is logged and must not hide the first one. */
export async function attempt(repair: () => Promise<unknown>, logger: Logger): Promise<boolean> {
  try {
    await repair();
    return true;
  } catch (error) {
    logger.error({ err: error }, 'portal and gateway may disagree for a moment: a change could not be taken back yet');
    return false;
  }
}
