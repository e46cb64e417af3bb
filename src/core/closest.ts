/** The closest candidate, or undefined when none is near enough: at most a third of the letters may differ. */
export function findClosest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

// Damerau–Levenshtein (optimal string alignment): a transposition, the most common typo, counts as one edit.
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (beforePrevious[j - 2] ?? 0) + 1);
      }
      current.push(least);
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
}

/** Longer names are cut: the sender knows the rest. */
const SHOWN = 100;

/** A client-supplied name, short enough for an answer. */
export function shorten(name: string): string {
  return name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name;
}

/**
 * The message for an unknown field, suggesting the one that was probably meant.
 * @param known the fields that are allowed there
 */
export function sayUnknownField(name: string, known: readonly string[]): string {
  const near = name.length > SHOWN ? undefined : findClosest(name, known);
  return `There is no field ${shorten(name)}. ${near === undefined ? fieldsThere(known) : `Did you mean ${near}?`}`;
}

function fieldsThere(known: readonly string[]): string {
  return known.length === 0 ? 'None is taken here.' : `Those there are: ${known.join(', ')}.`;
}
