export { defineRoute, type PortalRoute, type PortalServices } from './api/index.js';
export { defineConfig, type PortalDefinition } from './config/index.js';
export { defineMigration } from './database/index.js';
export * from './kernel/errors.js';
export { createPortal, type Portal, type PortalOptions } from './portal.js';
