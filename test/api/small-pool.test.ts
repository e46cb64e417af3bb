import { envelopeFault } from '../support/envelope.js';
import { nameOf, Surface } from '../support/surface.js';

// Many requests: a machine that does much else needs its time.

/** Requests of one route that run at the same time. */
const AT_ONCE = 4;

let surface: Surface;
beforeAll(async () => {
  // Whoever asks for a second connection while it holds the only one waits for `acquire` and fails.
  surface = await Surface.start({ config: { database: { pool: { max: 1, acquire: 2500 } } } });
});
afterAll(() => surface.stop());

describe('a portal with one connection to its database (R25)', () => {
  it('answers every route, also when asked several times at once', async () => {
    for (const route of surface.routes) {
      const callers = [];
      for (let number = 0; number < AT_ONCE; number += 1) callers.push(await surface.caller(route));
      const answers = await Promise.all(
        callers.map((caller) => surface.send(route, caller, { body: surface.body(route, caller) })),
      );
      const faults = answers.map((answer) => (answer.status < 300 ? envelopeFault(answer, route) : answer.text));
      expect([nameOf(route), ...faults]).toEqual([nameOf(route), ...callers.map(() => null)]);
    }
  });
});
