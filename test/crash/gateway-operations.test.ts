import type { Operation } from '../support/crash/operations.js';
import { sagaGateways } from '../support/crash/operation-gateways.js';
import { breakOffAndRepeat, breakOffEverywhere, secondsUntilAgreement } from '../support/crash/operation-run.js';
import { dialectUnderTest } from '../support/test-database.js';

/** `npm run test:crash -- --sagas remote` does so with ten changes, and with other gateways. */
const FOUR: readonly Operation[] = ['createApp', 'deleteApp', 'createKey', 'deleteKey'];

describe('a process that is killed at any step of a change of two sides (R14)', () => {
  it('leaves what is brought together within a minute, with a gateway in another process', async () => {
    const { stop, ...gateway } = await sagaGateways.remote();
    try {
      const result = await breakOffEverywhere({ dialect: dialectUnderTest(), ...gateway, operations: FOUR });
      expect(result.faults).toEqual([]);
      expect(result.kills).toBeGreaterThanOrEqual(24);
    } finally {
      await stop();
    }
  }, 240_000);

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

  it('is brought to an end by the next process by itself, within a minute on the wall', async () => {
    const { stop, ...gateway } = await sagaGateways.remote();
    try {
      // Step 5: the gateway has revoked the key, and nobody here knows.
      const options = { dialect: dialectUnderTest(), ...gateway };
      expect(await secondsUntilAgreement(options, 'revokeKey', 5)).toBeLessThan(60);
    } finally {
      await stop();
    }
  }, 180_000);
});

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
