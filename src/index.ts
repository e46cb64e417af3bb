export { defineRoute, type PortalRoute, type PortalServices } from './api/index.js';
export { defineConfig, type PortalDefinition } from './config/index.js';
export { column, defineMigration } from './database/index.js';
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
} from './kernel/index.js';
export { openPortal, type OpenPortalOptions } from './open-portal.js';
export { createPortal, type Portal, type PortalOptions } from './portal.js';
