import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { captureExamples } from '../support/real-examples.js';
import { Surface } from '../support/surface.js';

// A request of every operation.
jest.setTimeout(180_000);

const FILE = join(process.cwd(), 'templates', 'apidocs', 'examples.json');

let surface: Surface;
beforeAll(async () => {
  surface = await Surface.start({ dialect: 'sqlite' });
});
afterAll(() => surface.stop());

describe('the examples in the document', () => {
  it('are what a portal answers today; PORTAL_UPDATE_EXAMPLES=1 writes them anew', async () => {
    const captured = await captureExamples(surface, surface.test);
    if (process.env.PORTAL_UPDATE_EXAMPLES) writeFileSync(FILE, `${JSON.stringify(captured, null, 2)}\n`);
    expect(captured).toEqual(JSON.parse(readFileSync(FILE, 'utf8')));
  });
});
