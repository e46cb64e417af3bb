import type { Portal } from '../portal.js';
import { CommandFailedError, UsageError } from './errors.js';

/** @returns the tag in its usual spelling: `pt-br` → `pt-BR`. @throws UsageError */
export function localeTag(text: string): string {
  try {
    const [tag] = Intl.getCanonicalLocales(text);
    if (tag !== undefined && /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(tag)) return tag;
  } catch {
    // Reported below, like a valid tag without a language.
  }
  throw new UsageError(`"${text}" is no language tag: write one such as fr or pt-BR.`);
}

/** Reads messages; an unreadable file is reported for the user to fix. @throws CommandFailedError */
export async function readMessages<T>(
  portal: Portal,
  read: (translations: Portal['translations']) => Promise<T>,
): Promise<T> {
  const { UnreadableMessagesError } = await import('../portal.js');
  try {
    return await read(portal.translations);
  } catch (error) {
    if (!(error instanceof UnreadableMessagesError)) throw error;
    throw new CommandFailedError(error.message, 'mend the file', { cause: error });
  }
}
