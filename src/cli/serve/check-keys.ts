import type { Portal } from '../../portal.js';
import type { ServerLog } from './server-log.js';

/**
 * Warns when `app.key` is not the one that the database was written with, as after a restore: keys cannot be decrypted
 * then, and audit:verify will reject every new activity.
 */
export async function warnOfForeignKey({ sealed, services, logger }: Portal, voice: ServerLog): Promise<void> {
  try {
    const unreadable = (await sealed()).some((sample) => sample.unreadable > 0);
    const { isSealed } = await services.activities.verifier.end();
    if (!unreadable && isSealed) return;
    const fix = 'stop the portal and bring back the APP_KEY that belongs to this database; portal doctor says more';
    voice.warn(`What is stored was not written with this APP_KEY. Fix: ${fix}.`, { setting: 'app.key' });
  } catch (error) {
    // The database went away or the process is ending; neither is about the key.
    logger.debug({ err: error }, 'whether app.key belongs to the database was not found out');
  }
}
