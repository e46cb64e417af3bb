/** Reads again once a value is older than this. */
export function cacheFor(milliseconds, read) {
  let cached;
  let until = 0;
  return () => {
    const now = Date.now();
    if (now >= until) {
      cached = read();
      until = now + milliseconds;
    }
    return cached;
  };
}
