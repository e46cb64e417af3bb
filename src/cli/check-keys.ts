import type { Portal } from '../portal.js';
import { failure, pass, warning, type Finding } from './doctor-finding.js';

/** Whether `app.key` matches the database; after a restore, or on a misconfigured replica, it may not. */
export async function checkKeys({ sampleEncrypted, services, config }: Portal): Promise<Finding> {
  const samples = await sampleEncrypted();
  const placesWith = (what: 'unreadable' | 'earlier') =>
    samples.filter((sample) => sample[what] > 0).map(({ table, column }) => `${table}.${column}`);
  const unreadable = placesWith('unreadable');
  if (unreadable.length > 0) {
    const fix = 'set APP_KEY to the one that belongs to this database, or add it to APP_PREVIOUS_KEYS';
    return failure('keys', `APP_KEY does not open ${unreadable.join(', ')}: another one wrote them`, fix);
  }
  if (!(await services.activities.verifier.end()).isSealed) {
    const fix =
      'set APP_KEY to the one that belongs to this database; when it does, portal audit:verify says what happened';
    return failure('keys', 'the end of the activity log was not signed with APP_KEY, or was moved', fix);
  }
  const earlier = placesWith('earlier');
  if (earlier.length > 0) {
    return warning('keys', `${earlier.join(', ')} still need an earlier APP_KEY`, 'portal keys:rotate --reseal');
  }
  const previous = config.app.previousKeys.length;
  return pass('keys', `APP_KEY opens what is stored${previous === 0 ? '' : `; ${previous} earlier accepted`}`);
}
