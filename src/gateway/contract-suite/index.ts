export {
  capabilityMeanings,
  gatewayContract,
  runGatewayCheck,
  runGatewayContract,
  type CheckResult,
} from './contract.js';
export { GatewayStage } from './stage.js';
export type { GatewayCheck, Need } from './check.js';
export type { GatewaySubject } from './subject.js';
