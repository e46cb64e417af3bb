import type { PortalRoute } from '../../src/api/index.js';
import { envelopeFault } from '../support/envelope.js';
import { type Caller, nameOf, Surface } from '../support/surface.js';

// Many requests: a machine that does much else needs its time.

/** Requests of one route that run at the same time. */
const AT_ONCE = 4;

let surface: Surface;
beforeAll(async () => {
  // Whoever asks for a second connection while it holds the only one waits for `acquire` and fails.
  surface = await Surface.start({ config: { database: { pool: { max: 1, acquire: 2500 } } } });
});
afterAll(() => surface.stop());

const another = async (route: PortalRoute, [first]: readonly Caller[]): Promise<Caller> =>
  route.method === 'get' && first !== undefined ? first : surface.caller(route);

describe('a portal with one connection to its database (R25)', () => {
  it('answers every route, also when asked several times at once', async () => {
    for (const route of surface.routes) {
      const callers = [await surface.caller(route)];
      // What changes nothing may be asked for by one; a change is made by each for themselves.
      while (callers.length < AT_ONCE) callers.push(await another(route, callers));
      const answers = await Promise.all(
        callers.map((caller) => surface.send(route, caller, { body: surface.body(route, caller) })),
      );
      const faults = answers.map((answer) => (answer.status < 300 ? envelopeFault(answer, route) : answer.text));
      expect([nameOf(route), ...faults]).toEqual([nameOf(route), ...callers.map(() => null)]);
    }
  });
});
