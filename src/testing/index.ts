export { apiAuthorizerContract } from './api-authorizer.js';
export { authFlowContract, type AuthFlowContractOptions } from './auth-flow.js';
export { gatewayDriverContract } from './gateway-driver.js';
export { mailerContract, type DeliveredMail, type MailerUnderTest } from './mailer.js';
export { passwordHasherContract } from './password-hasher.js';
export { tokenServiceContract } from './token-service.js';
export { openConsole, type OpenConsolePage } from './console-session.js';
export { assertContract, describeContract, type ContractCheck, type TestRunner } from './contract.js';
export {
  createAdmin,
  createDeveloper,
  createProduct,
  signIn,
  TEST_PASSWORD,
  type AdminOverrides,
  type DeveloperOverrides,
} from './factories.js';
export { FakeClock } from './fake-clock.js';
export * from '../gateway/contract-suite/index.js';
export { importSource } from './import-source.js';
export {
  startTestPortal,
  type ApiAnswer,
  type ApiCall,
  type TestPortal,
  type TestPortalOptions,
} from './test-portal.js';
