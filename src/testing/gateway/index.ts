export type {
  ApigeeFlavour,
  AppState,
  DeveloperState,
  KeyState,
  OrganizationOptions,
  StandInProduct,
} from './apigee/apigee-model.js';
export type { ApigeeOrganization } from './apigee/apigee-organization.js';
export { ApigeeStandIn, type ApigeeStandInOptions, type StandInSignIn } from './apigee/apigee-stand-in.js';
export type { RecordedRequest } from './apigee/read-request.js';
export type { StandInFailure } from './apigee/stand-in-failures.js';
export {
  capabilityMeanings,
  gatewayContract,
  runGatewayCheck,
  runGatewayContract,
  type CheckResult,
} from './contract/gateway-contract.js';
export { GatewayStage } from './contract/gateway-stage.js';
export type { GatewayCheck, Need } from './contract/gateway-check.js';
export type { GatewaySubject } from './contract/gateway-subject.js';
