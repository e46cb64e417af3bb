export type {
  ApigeeFlavour,
  AppState,
  DeveloperState,
  KeyState,
  OrganizationOptions,
  StandInProduct,
} from '../fake-apigee/apigee-model.js';
export type { ApigeeOrganization } from '../fake-apigee/apigee-organization.js';
export { ApigeeStandIn, type ApigeeStandInOptions, type StandInSignIn } from '../fake-apigee/fake-apigee.js';
export type { RecordedRequest } from '../fake-apigee/read-request.js';
export type { StandInFailure } from '../fake-apigee/failures.js';
export {
  capabilityMeanings,
  gatewayContract,
  runGatewayCheck,
  runGatewayContract,
  type CheckResult,
} from './gateway-contract.js';
export { GatewayStage } from './gateway-stage.js';
export type { GatewayCheck, Need } from './gateway-check.js';
export type { GatewaySubject } from './gateway-subject.js';
