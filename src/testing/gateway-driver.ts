import type { ContractCheck } from './contract.js';
import { gatewayContract, runGatewayCheck, type GatewaySubject } from '../gateway/contract-suite/index.js';

/**
 * What a gateway driver promises: the checks of `portal gateway:test`. Checks of capabilities that the driver lacks pass.
 * @param subject the driver with its backend
 */
export function gatewayDriverContract(subject: () => GatewaySubject): ContractCheck[] {
  return gatewayContract.map((check) => ({
    name: check.name,
    run: async () => {
      const outcome = await runGatewayCheck(check, subject());
      if (outcome !== 'passed') process.stdout.write(`skipped: ${check.name}: ${outcome.skipped}\n`);
    },
  }));
}
