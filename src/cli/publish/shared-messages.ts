type Tree = { readonly [key: string]: unknown };

/**
 * Words are replaced key by key, so of a language file only the keys that it shares with the package's stand for
 * something: both files as lines of those, or null when there is none or a file is no JSON.
 */
export function sharedWords(yours: string, shipped: string): readonly [yours: string, shipped: string] | null {
  const [mine, theirs] = [wordsOf(yours), wordsOf(shipped)];
  if (!mine || !theirs) return null;
  const keys = [...theirs.keys()].filter((key) => mine.has(key));
  const lines = (words: ReadonlyMap<string, unknown>) =>
    keys.map((key) => `${key}: ${JSON.stringify(words.get(key))}\n`).join('');
  return keys.length === 0 ? null : [lines(mine), lines(theirs)];
}

function wordsOf(text: string): Map<string, unknown> | null {
  try {
    const words = new Map<string, unknown>();
    flatten(JSON.parse(text) as Tree, '', words);
    return words;
  } catch {
    return null;
  }
}

function flatten(tree: Tree, prefix: string, into: Map<string, unknown>): void {
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'object' && value !== null) flatten(value as Tree, `${prefix}${key}.`, into);
    else into.set(prefix + key, value);
  }
}
