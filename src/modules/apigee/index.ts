export { driver as apigee } from './driver.js';
export type { ApigeeConfig } from './options.js';
export type {
  ApigeeFlavour,
  AppState,
  DeveloperState,
  FakeApigeeProduct,
  FakeApigeeTraffic,
  KeyState,
  OrganizationOptions,
} from './fake/apigee-model.js';
export type { ApigeeOrganization } from './fake/apigee-organization.js';
export { FakeApigee, type FakeApigeeOptions, type FakeApigeeSignIn } from './fake/fake-apigee.js';
export type { FakeApigeeFailure } from './fake/failures.js';
export type { RecordedRequest } from './fake/read-request.js';
