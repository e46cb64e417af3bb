import type * as jest30 from '@jest/globals';

/** The words of a test are globals: `jest-light-runner` sets them, and leaves `@jest/globals` alone. */
declare global {
  const afterAll: typeof jest30.afterAll;
  const afterEach: typeof jest30.afterEach;
  const beforeAll: typeof jest30.beforeAll;
  const beforeEach: typeof jest30.beforeEach;
  const describe: typeof jest30.describe;
  const expect: typeof jest30.expect;
  const it: typeof jest30.it;
  const jest: Pick<typeof jest30.jest, 'fn' | 'spyOn' | 'restoreAllMocks'>;
}
