import type { Logger } from '../../core/index.js';
import type { Ui } from '../ui.js';

/** How a server that runs for weeks tells about itself. */
export interface ServerLog {
  say(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
}

/** Of a worker that has nothing to tell which another one does not tell already. */
export const SILENT: ServerLog = { say: () => undefined, warn: () => undefined };

/** Sentences for whoever develops; in production lines of the log, which a machine reads. */
export function createServerLog(ui: Ui, logger: Logger, isProduction: boolean): ServerLog {
  if (!isProduction) return { say: (message) => ui.line(message), warn: (message) => ui.warn(message) };
  return {
    say: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
  };
}
