/** Control characters forge lines in logs and mails; bidirectional overrides make one name look like another. */
const REFUSED = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const VISIBLE = /[^\p{Z}\p{C}]/u;

/**
 * A name as it is stored: trimmed, 1 to `max` UTF-16 units, something visible in it, no control characters.
 * @returns null if no usable name is left
 */
export function cleanName(text: string, max = 100): string | null {
  const name = text.trim();
  return name.length <= max && VISIBLE.test(name) && !REFUSED.test(name) ? name : null;
}
