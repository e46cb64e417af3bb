// For tests of the whole that work with a remote gateway. They build without the modules, like src/shipped-drivers.ts.
// @ts-ignore: see above.
export { FakeApigee, type FakeApigeeFailure, type RecordedRequest } from '../../src/modules/apigee/index.js';
