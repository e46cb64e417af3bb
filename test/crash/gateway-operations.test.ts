import type { Operation } from '../support/crash/operations.js';
import { sagaGateways } from '../support/crash/operation-gateways.js';
import { breakOffEverywhere, secondsUntilAgreement } from '../support/crash/operation-run.js';
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
