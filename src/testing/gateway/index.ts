export type {
  ApigeeFlavour,
  AppState,
  DeveloperState,
  KeyState,
  OrganizationOptions,
  FakeApigeeProduct,
} from '../fake-apigee/apigee-model.js';
export type { ApigeeOrganization } from '../fake-apigee/apigee-organization.js';
export { FakeApigee, type FakeApigeeOptions, type FakeApigeeSignIn } from '../fake-apigee/fake-apigee.js';
export type { RecordedRequest } from '../fake-apigee/read-request.js';
export type { FakeApigeeFailure } from '../fake-apigee/failures.js';
