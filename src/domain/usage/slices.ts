const MOST_PER_STATEMENT = 500;

/** Different values in parts that one statement takes. */
export function* slices<T>(all: readonly T[]): Generator<T[]> {
  const items = [...new Set(all)];
  for (let start = 0; start < items.length; start += MOST_PER_STATEMENT) {
    yield items.slice(start, start + MOST_PER_STATEMENT);
  }
}
