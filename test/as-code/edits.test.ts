import { editAgainAndAgain } from '../support/code-edits.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
});
afterAll(() => test.stop());

describe('files that somebody edits at random', () => {
  // `as-code/many-edits` does it 500 times.
  it('leave nothing to plan once they are applied, 50 times', async () => {
    await editAgainAndAgain(test, 50);
  });
});
