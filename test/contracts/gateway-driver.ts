import { gatewayContract, runGatewayCheck, type GatewaySubject } from '../../src/gateway/contract-suite/index.js';

export interface DriverUnderTest extends GatewaySubject {
  stop(): Promise<void>;
}

/**
 * Every check of the contract as a test.
 * @param skipped reasons that this driver may give for leaving a check out; others fail
 */
export function gatewayDriverContract(
  name: string,
  start: () => Promise<DriverUnderTest>,
  skipped: readonly string[] = [],
): void {
  describe(`the gateway driver ${name}`, () => {
    let subject: DriverUnderTest;
    beforeEach(async () => {
      subject = await start();
    });
    afterEach(() => subject.stop());

    for (const check of gatewayContract) {
      it(check.name, async () => {
        const outcome = await runGatewayCheck(check, subject);
        // Teams of others are developers there, and their apps stay where they are: no lack.
        const optional = ['lacks the capability teams', 'lacks the capability moveApps'];
        if (outcome !== 'passed') expect([...optional, ...skipped]).toContain(outcome.skipped);
      });
    }
  });
}
