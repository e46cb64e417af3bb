import { pino, type DestinationStream } from 'pino';
import { foreignError } from './errors.js';

type LogMethod = (fields: Record<string, unknown>, message: string) => void;

/** Structured logging: fields first, then one constant sentence. Fields with names of secrets are masked. */
export interface Logger {
  debug: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  error: LogMethod;
  fatal: LogMethod;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

const MASK = '********';

/** Field names whose values are never logged, at any depth (S69). Compared without case, `-` and `_`. */
const SECRET_NAME =
  /pass(word|wd|phrase)?|secret|token|authorization|cookie|apikey|consumerkey|privatekey|otp|recoverycode|credential(?!s?_?id)|resetlink/;

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.toLowerCase().replace(/[-_]/g, ''));
}

/** A copy of `value` with secrets masked by name; errors become `{type, message, stack, code}`. Depth is capped at 6. */
function maskSecrets(value: unknown, depth = 0): unknown {
  if (value === null || typeof value !== 'object') return typeof value === 'bigint' ? String(value) : value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Error) return describeError(value, depth);
  if (Buffer.isBuffer(value)) return `<${value.length} bytes>`;
  if (depth >= 6) return '…';
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => maskSecrets(item, depth + 1));
  const masked: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    masked[name] = isSecretName(name) && item !== null && item !== undefined ? MASK : maskSecrets(item, depth + 1);
  }
  return masked;
}

// Only these properties: others of database errors hold the SQL and its values. A SyntaxError quotes the text that
// failed to parse, and a cause that is not an Error is often a response.
function describeError(thrown: Error, depth: number): Record<string, unknown> {
  const error = thrown instanceof SyntaxError ? foreignError(thrown) : thrown;
  const { code, detail } = error as { code?: unknown; detail?: unknown };
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined ? {} : { detail }),
    ...(error.cause instanceof Error && depth < 3 ? { cause: describeError(error.cause, depth + 1) } : {}),
  };
}

/**
 * JSON lines on standard output (or `destination`), times in ISO 8601 UTC.
 * @param present fields added to every line, read when it is written
 */
export function createLogger(
  level: LogLevel,
  destination?: DestinationStream,
  present?: () => Readonly<Record<string, string>>,
): Logger {
  const options = {
    level,
    base: null,
    ...(present && { mixin: () => ({ ...present() }) }),
    timestamp: pino.stdTimeFunctions.isoTime,
    // maskSecrets has already described the error; pino's serializer would append the messages of its causes.
    serializers: { err: (described: unknown) => described },
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => maskSecrets(fields) as Record<string, unknown>,
    },
  };
  return pino(options, destination ?? standardOutput());
}

/** Buffer for output while a disk is full; later lines are dropped. */
const MOST_WAITING_BYTES = 1024 * 1024;

// A failed write must not end the process (R28): the line is buffered and retried with the next one.
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, maxLength: MOST_WAITING_BYTES });
  let isStuck = false;
  output.on('error', () => (isStuck = true)).on('write', () => (isStuck = false));
  // Called for fatal lines and at exit; it would block while a disk is full.
  const flush = output.flushSync.bind(output);
  output.flushSync = () => {
    if (!isStuck) flush();
  };
  return output;
}

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  fatal: () => undefined,
};
