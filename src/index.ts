export { defineConfig, type PortalDefinition, type PortalExtensions } from './config/define-config.js';
export { ConfigurationError, PortalError } from './kernel/index.js';
