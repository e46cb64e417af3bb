import { envelopeFault } from '../support/envelope.js';
import { nameOf, Surface } from '../support/surface.js';

// Many requests: a machine that does much else needs its time.

let surface: Surface;
beforeAll(async () => {
  surface = await Surface.start();
});
afterAll(() => surface.stop());

describe('every route', () => {
  it('answers what it declares to what it declares', async () => {
    for (const route of surface.routes) {
      const caller = await surface.caller(route);
      const answer = await surface.send(route, caller, { body: surface.body(route, caller) });
      expect([nameOf(route), answer.status < 300 ? '' : answer.text, envelopeFault(answer, route)]).toEqual([
        nameOf(route),
        '',
        null,
      ]);
    }
  });
});
