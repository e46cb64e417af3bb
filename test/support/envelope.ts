import type { PortalRoute } from '../../src/api/index.js';
import type { Answer } from './http-client.js';

/** What every refusal says (contract, section 4). */
const MESSAGES: Readonly<Record<number, readonly string[]>> = {
  400: ['Malformed request.', 'Host not allowed.'],
  401: ['Unauthenticated.', 'Invalid credentials.'],
  403: ['Forbidden.', 'Re-authentication required.', 'Account pending approval.', 'E-mail not verified.'],
  404: ['Resource not found.', 'Route not found.'],
  405: ['Method not allowed.'],
  409: ['Conflict.'],
  412: ['Precondition failed.'],
  413: ['Payload too large.'],
  415: ['Unsupported media type.'],
  422: ['Validation failed.'],
  429: ['Too many attempts.'],
};

/**
 * Says what is wrong with an answer as the portal's: a fault of the server, something else than JSON, other fields than
 * the envelope's, a status or data that the route does not declare. Null when nothing is.
 */
export function envelopeFault(answer: Answer, route?: PortalRoute): string | null {
  const { status, json, headers } = answer;
  if (status >= 500) return `a fault of the server: ${status}`;
  if (route && status < 300 && isDocument(route)) return null;
  if (headers.get('content-type') !== 'application/json; charset=utf-8')
    return `of type ${headers.get('content-type')}`;
  if (typeof json !== 'object' || json === null) return 'not an object';
  const isSuccess = status < 300;
  const fields = ['success', 'status', 'message', isSuccess ? 'data' : 'errors', 'meta'];
  if (Object.keys(json).join() !== fields.join()) return `of the fields ${Object.keys(json).join()}`;
  if (json.success !== isSuccess || json.status !== status) return 'at odds with its status';
  return isSuccess ? successFault(answer, route) : refusalFault(answer);
}

function successFault({ status, json }: Answer, route: PortalRoute | undefined): string | null {
  if (!route) return null;
  const schema = route.reply[status];
  if (!schema) return `of the undeclared status ${status}`;
  const { error } = schema.validate(json.data, { convert: false });
  return error ? `not of the declared form: ${error.message}` : null;
}

function refusalFault({ status, json, text }: Answer): string | null {
  if (!MESSAGES[status]?.includes(json.message)) return `saying "${json.message}" with ${status}`;
  // A page repeats in its links what was asked; a refusal has no reason to say any of this.
  if (/node_modules|\bat \S+ \(|sequelize|sqlite|mysql/i.test(text)) return 'revealing';
  if (json.meta !== null) return 'with meta';
  const isLists = Object.values(json.errors).every(
    (sentences) =>
      Array.isArray(sentences) && sentences.length > 0 && sentences.every((sentence) => typeof sentence === 'string'),
  );
  if (!isLists) return 'whose errors are not lists of sentences';
  if (status === 422 && Object.keys(json.errors).length === 0) return 'that names no field';
  return null;
}

/** The answers that the contract exempts from the envelope. */
function isDocument({ method, path }: PortalRoute): boolean {
  return method === 'get' && (/\/(?:spec|workflows|export)$/.test(path) || path.startsWith('/files/'));
}
