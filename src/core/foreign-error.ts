/** Stack frames in V8's format. */
const FRAME = /^ {4}at (?:[\w$.<>[\] #]+ \()?(?:async )?[^()\n]+:\d+:\d+\)?$/;
const CLASS = /^[A-Za-z_$][\w$]{0,63}$/;
/** `ECONNREFUSED`, `OAUTH_PARSE_ERROR`: symbolic codes; no key looks like this. */
const CODE = /^[A-Z][A-Z_]{1,63}$/;

/**
 * A loggable form of an error from a service, its client or a host's driver: type, code, status and stack frames. Its
 * message may quote requests or responses, and with them keys, secrets and tokens (S69).
 */
export function foreignError(error: unknown): Error {
  const known = (typeof error === 'object' && error !== null ? error : {}) as Readonly<Record<string, unknown>>;
  const name = typeof known.name === 'string' && CLASS.test(known.name) ? known.name : 'Error';
  const status = [known.status, known.statusCode, known.responseCode].find((value) => Number.isSafeInteger(value));
  const code = typeof known.code === 'string' && CODE.test(known.code) ? known.code : undefined;
  const cause: unknown = known.cause instanceof Error && known.cause !== error ? known.cause : undefined;
  const inner = code === undefined && status === undefined && cause !== undefined ? foreignError(cause) : undefined;
  const facts = [code, status, inner && `from ${inner.message}`].filter((fact) => fact !== undefined);
  const told = new Error([name, ...facts.map(String)].join(' '));
  told.name = name;
  told.stack = [`${name}: ${told.message}`, ...framesOf(error)].join('\n');
  return code === undefined ? told : Object.assign(told, { code });
}

/** The stack frames without the message. */
function framesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return [];
  const text = error.stack.replace(error.message, '');
  return text.split('\n').filter((line) => FRAME.test(line));
}
