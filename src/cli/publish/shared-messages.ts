type Tree = { readonly [key: string]: unknown };

/**
 * Messages are overridden key by key, so only the keys that a language file shares with the package's count. Returns
 * both files reduced to those, as lines; null when there are none or a file is not JSON.
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
