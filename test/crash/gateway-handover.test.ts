import type { Operation } from '../support/crash/operations.js';
import { sagaGateways } from '../support/crash/operation-gateways.js';
import { breakOffEverywhere } from '../support/crash/operation-run.js';
import { dialectUnderTest } from '../support/test-database.js';

describe('a process that is killed at any step of handing an app over (R14)', () => {
  it.each([
    ['local', 6],
    ['apigee-x', 25],
    ['apigee-edge', 25],
  ] as const)(
    'leaves an app that is handed over with one owner and the same key: %s',
    async (name, least) => {
      const { stop, ...gateway } = await sagaGateways[name]();
      try {
        const operations: readonly Operation[] = ['transferApp'];
        const result = await breakOffEverywhere({ dialect: dialectUnderTest(), ...gateway, operations });
        expect(result.faults).toEqual([]);
        expect(result.kills).toBeGreaterThanOrEqual(least);
      } finally {
        await stop();
      }
    },
    600_000,
  );
});
