export * from './clock.js';
export * from './encryption.js';
export * from './errors.js';
export * from './events.js';
export * from './listing.js';
export * from './logger.js';
export * from './option.js';
export * from './request-info.js';
