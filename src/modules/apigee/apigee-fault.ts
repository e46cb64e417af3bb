import {
  CallFailure,
  GatewayConflictError,
  GatewayNotFoundError,
  GatewayRefusedError,
  type RemoteAnswer,
  showCode,
} from '../../gateway/index.js';

/** The credentials are invalid or expired; the call had no effect. */
export class SignInRefusedError extends GatewayRefusedError {}

/** The organization has no apps without a product. */
export class ProductsRequiredError extends GatewayRefusedError {}

/** The product to remove is not on the key, for which Apigee answers 500. */
class NotAssociatedError extends GatewayNotFoundError {}

interface Fault {
  /** Machine-readable, the same for X and Edge; empty if missing. */
  readonly code: string;
  /** Never shown: it may quote keys, secrets and tokens of the request (S69). */
  readonly message: string;
}

/** Edge sends some of these with status 500. */
const SIGN_IN = /access_token_expired|invalid_access_token|SsoInternalServerError/;
const NOT_ASSOCIATED = /not.?associated/i;
const UNKNOWN_PRODUCT = /api_?product_doesnot_exist|^(API ?Product \[|Product with id)/i;
const UNKNOWN_ORGANIZATION = /OrganizationDoesNotExist/i;
const PRODUCTS_REQUIRED = 'keymanagement.service.ApiProductsRequired';

/**
 * Parses an answer.
 * @param label name of the call, for errors
 * @returns its JSON; null without any
 * @throws the errors of the contract; CallFailure if a retry may succeed
 */
export function readAnswer(answer: RemoteAnswer, label: string): unknown {
  const { status, text } = answer;
  if (status >= 200 && status < 300) return text === '' ? null : parseBody(text, label);
  const fault = faultOf(answer);
  const detail = `${label}: ${status} ${showCode(fault.code)}`.trimEnd();
  if (status === 401 || SIGN_IN.test(fault.code)) throw new SignInRefusedError({ detail });
  if (status === 429) throw new CallFailure('throttled', detail, { status, retryAfter: answer.retryAfter });
  if (NOT_ASSOCIATED.test(fault.code) || NOT_ASSOCIATED.test(fault.message)) throw new NotAssociatedError({ detail });
  if (status >= 500) throw new CallFailure('faulty', detail, { status, retryAfter: answer.retryAfter });
  throw refusalOf(answer, fault, detail);
}

function refusalOf({ status }: RemoteAnswer, { code, message }: Fault, detail: string): Error {
  // Checked before the status: a missing product must not look like a missing app.
  if (UNKNOWN_PRODUCT.test(code) || UNKNOWN_PRODUCT.test(message)) {
    return new GatewayRefusedError({ detail: `${detail}. Fix: create the product, or change gateway_product_id` });
  }
  if (code === PRODUCTS_REQUIRED) {
    return new ProductsRequiredError({ detail: `${detail}. Fix: this organization has no apps without a product` });
  }
  if (status === 404 && code !== '' && !UNKNOWN_ORGANIZATION.test(code)) return new GatewayNotFoundError({ detail });
  if (status === 409) return new GatewayConflictError({ detail });
  const fix = 'compare endpoint, organization and the roles of the machine user';
  return new GatewayRefusedError({ detail: status === 403 || status === 404 ? `${detail}. Fix: ${fix}` : detail });
}

/** Looks in the order of Apigee's own client. An HTML page, as X sends for a wrong path, has neither. */
function faultOf({ contentType, text }: RemoteAnswer): Fault {
  const body = contentType.endsWith('json') ? attempt(text) : undefined;
  if (body === undefined) return { code: '', message: '' };
  const { fault, error } = body;
  const code =
    string(fault?.detail?.errorcode) ?? string(body.code) ?? violationOf(body) ?? string(error?.status) ?? '';
  const message = string(fault?.faultstring) ?? string(error?.message) ?? messageOf(body.message);
  return { code, message };
}

interface FaultBody {
  readonly fault?: { readonly faultstring?: unknown; readonly detail?: { readonly errorcode?: unknown } };
  readonly code?: unknown;
  readonly message?: unknown;
  readonly error?: { readonly status?: unknown; readonly message?: unknown; readonly details?: unknown };
}

function violationOf({ error }: FaultBody): string | undefined {
  const details = Array.isArray(error?.details) ? (error.details as readonly Partial<Detail>[]) : [];
  return string(details.flatMap(({ violations }) => violations ?? [])[0]?.type);
}

interface Detail {
  readonly violations: readonly { readonly type?: unknown }[];
}

// Edge sometimes sends a list.
function messageOf(message: unknown): string {
  return Array.isArray(message) ? message.map(String).join(' ') : (string(message) ?? '');
}

function string(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function attempt(text: string): FaultBody | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

function parseBody(text: string, label: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CallFailure('unreadable', `${label}: the answer is not JSON`);
  }
}
