import { editAgainAndAgain } from '../support/code-edits.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
});
afterAll(() => test.stop());

describe('files that somebody edits at random', () => {
  it('leave nothing to plan once they are applied, 500 times', async () => {
    await editAgainAndAgain(test, 500);
  }, 300_000);
});
