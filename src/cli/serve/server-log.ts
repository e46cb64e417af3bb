import type { Logger } from '../../core/index.js';
import type { Ui } from '../ui.js';

/** The messages of a long-running server. */
export interface ServerLog {
  say(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
}

/** For workers whose messages another worker already logs. */
export const SILENT: ServerLog = { say: () => undefined, warn: () => undefined };

/** Plain sentences in development, structured log lines in production. */
export function createServerLog(ui: Ui, logger: Logger, isProduction: boolean): ServerLog {
  if (!isProduction) return { say: (message) => ui.line(message), warn: (message) => ui.warn(message) };
  return {
    say: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
  };
}
