/**
 * The light runner waits for ever. A test or hook that hangs fails here instead, after the time it names or `LIMIT_MS`,
 * which is a guard against hanging only: no test is meant to come near it, however busy the machine.
 */
const LIMIT_MS = 300_000;

/** `body`, failing when it takes longer than `ms`. The arguments are those of `it.each`. */
function limit(body, ms = LIMIT_MS) {
  if (typeof body !== 'function') return body;
  return async (...values) => {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`Took longer than ${ms} ms.`)), ms);
    });
    try {
      return await Promise.race([body(...values), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** A test function (`it`, `it.skip`, `it.only`) with the limit, and its `each`. */
function limitTests(define) {
  const limited = (title, body, ms) => define(title, limit(body, ms), ms);
  limited.each =
    (...table) =>
    (title, body, ms) =>
      define.each(...table)(title, limit(body, ms), ms);
  return limited;
}

const limited = Object.assign(limitTests(globalThis.it), {
  skip: globalThis.it.skip,
  only: limitTests(globalThis.it.only),
});
globalThis.it = limited;
globalThis.test = limited;
for (const hook of ['beforeAll', 'beforeEach', 'afterAll', 'afterEach']) {
  const define = globalThis[hook];
  globalThis[hook] = (body, ms) => define(limit(body, ms), ms);
}
