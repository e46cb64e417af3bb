import { sagaGateways } from '../support/crash/operation-gateways.js';
import { breakOffAndRepeat } from '../support/crash/operation-run.js';
import { dialectUnderTest } from '../support/test-database.js';

describe('a process that is killed at any step of a request with an Idempotency-Key', () => {
  it.each(['postKey', 'postRotation'] as const)(
    'leaves one live key, which the next process answers with: %s',
    async (operation) => {
      const { stop, ...gateway } = await sagaGateways.remote();
      try {
        const result = await breakOffAndRepeat({ dialect: dialectUnderTest(), ...gateway }, operation);
        expect(result.faults).toEqual([]);
        expect(result.kills).toBeGreaterThanOrEqual(8);
      } finally {
        await stop();
      }
    },
    240_000,
  );
});
