import { wordsOf } from './redaction.js';

/** Records that an event may be about, each under the name of its field in the event. */
const SUBJECT_TYPES = [
  'user',
  'admin',
  'app',
  'credential',
  'product',
  'category',
  'audience',
  'menu',
  'menu_item',
  'setting',
  'role',
  'permission',
] as const;

export type SubjectType = (typeof SUBJECT_TYPES)[number];

interface EventName {
  /** What the event is about: one of ours, or what a host's class begins with. */
  readonly thing: string;
  /** What happened: `created`, `status_changed`. */
  readonly happened: string;
  /** null for a thing of the host's. */
  readonly subject: SubjectType | null;
}

/**
 * Reads the name of an event class: `CredentialProductAddedEvent` is about a credential, to which `product_added` happened.
 * A class that begins with none of our records parts before its last word. Null for a class without a usable name.
 */
export function readEventName(className: string): EventName | null {
  const words = wordsOf(className.replace(/Event$/, ''));
  if (words.length < 2) return null;
  const subject = longestFirst.find((type) => isBeginning(type.split('_'), words)) ?? null;
  const length = subject === null ? words.length - 1 : subject.split('_').length;
  return { thing: words.slice(0, length).join('_'), happened: words.slice(length).join('_'), subject };
}

/** `UserDeletingEvent`: an intention, whose fact has an event of its own. */
export function isIntention(className: string): boolean {
  return /ingEvent$/.test(className);
}

const longestFirst = [...SUBJECT_TYPES].sort((a, b) => b.length - a.length);

// A word has to be left to say what happened.
function isBeginning(beginning: readonly string[], words: readonly string[]): boolean {
  return words.length > beginning.length && beginning.every((word, index) => words[index] === word);
}
