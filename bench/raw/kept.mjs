/** Reads again once a value is older than this. */
export function keptFor(milliseconds, read) {
  let kept;
  let until = 0;
  return () => {
    const now = Date.now();
    if (now >= until) {
      kept = read();
      until = now + milliseconds;
    }
    return kept;
  };
}
