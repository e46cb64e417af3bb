export { defineRoute, Joi, type PortalRoute, type PortalServices } from './api/index.js';
export { defineConfig, type PortalDefinition } from './config/index.js';
export { column, defineMigration, type Migration } from './database/index.js';
export {
  AuthFlow,
  type AdminActor,
  type AuthAccount,
  type AuthContext,
  type AuthFlowInterface,
  type AuthFlowParts,
  type ConsumerActor,
  type LoginInput,
  type LoginOutcome,
  type LoginStep,
  type TokenPair,
} from './domain/auth/index.js';
export {
  ConfigurationError,
  ConflictError,
  DeclarationError,
  ForbiddenError,
  MalformedRequestError,
  NotFoundError,
  PortalError,
  PortalEvent,
  ServiceUnavailableError,
  TooManyAttemptsError,
  UnauthenticatedError,
  ValidationError,
  type Clock,
  type Logger,
  type RequestInfo,
} from './kernel/index.js';
export { openPortal, type OpenPortalOptions } from './open-portal.js';
export { createPortal, type Portal, type PortalOptions, type PortalParts } from './portal.js';
