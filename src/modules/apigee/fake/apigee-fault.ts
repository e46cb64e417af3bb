import type { ApigeeFlavour } from './apigee-model.js';

interface FaultOptions {
  /** X: the status name, if not the usual one. */
  readonly xStatus?: string;
  /** Edge: raised by the proxy in front of the API, with a body of another form. */
  readonly isRaisedByProxy?: boolean;
}

/** An error of the management API. X and Edge share the code, but put it in different places. */
export class ApigeeFault extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly options: FaultOptions = {},
  ) {
    super(message);
  }
}

const X_STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** The body of an error, as X or Edge would send it. */
export function faultBody(fault: ApigeeFault, flavour: ApigeeFlavour, requestId: string): unknown {
  const { status, code, message, options } = fault;
  if (flavour === 'edge') {
    return options.isRaisedByProxy
      ? { fault: { faultstring: message, detail: { errorcode: code } } }
      : { code, message, contexts: [] };
  }
  const violations = [{ type: code, subject: '', description: message }];
  const preconditions = { '@type': 'type.googleapis.com/google.rpc.PreconditionFailure', violations };
  const request = { '@type': 'type.googleapis.com/google.rpc.RequestInfo', requestId };
  const details = options.isRaisedByProxy ? [request] : [preconditions, request];
  return { error: { code: status, message, status: options.xStatus ?? X_STATUS[status] ?? 'UNKNOWN', details } };
}

export const faults = {
  developerUnknown: (id: string, organization: string) =>
    new ApigeeFault(
      404,
      id.includes('@') ? 'developer.service.DeveloperDoesNotExist' : 'developer.service.DeveloperIdDoesNotExist',
      `DeveloperId ${id} does not exist in organization ${organization}`,
    ),
  groupUnknown: (name: string) =>
    new ApigeeFault(404, 'appgroup.service.AppGroupDoesNotExist', `AppGroup ${name} does not exist`),
  groupTaken: (name: string) =>
    new ApigeeFault(409, 'appgroup.service.AppGroupAlreadyExists', `AppGroup ${name} already exists`),
  developerTaken: (email: string) =>
    new ApigeeFault(409, 'developer.service.DeveloperAlreadyExists', `Developer ${email} already exists`),
  appUnknown: (name: string, developer: string) =>
    new ApigeeFault(404, 'developer.service.AppDoesNotExist', `App named ${name} does not exist under ${developer}`),
  appTaken: (name: string) =>
    new ApigeeFault(409, 'developer.service.AppAlreadyExists', `App with name ${name} already exists`),
  keyUnknown: () =>
    new ApigeeFault(404, 'keymanagement.service.InvalidClientIdForGivenApp', 'Invalid consumer key for Given App'),
  keyTaken: () =>
    new ApigeeFault(409, 'keymanagement.service.ConsumerKeyAlreadyExists', 'Consumer key already exists', {
      xStatus: 'ABORTED',
    }),
  productUnknown: (name: string, status: 400 | 404) =>
    new ApigeeFault(status, 'keymanagement.service.apiproduct_doesnot_exist', `API Product [${name}] does not exist`),
  productsRequired: () =>
    new ApigeeFault(400, 'keymanagement.service.ApiProductsRequired', 'At least one API product is required'),
  notAssociated: () =>
    new ApigeeFault(
      500,
      'keymanagement.service.apiproduct_not_associated',
      'APIProduct is not associated with consumer key',
    ),
  attributeUnknown: (name: string) =>
    new ApigeeFault(404, 'organizations.keymanagement.AttributeDoesntExist', `Attribute ${name} does not exist`),
  invalid: (message: string, code = 'keymanagement.service.InvalidArgument') => new ApigeeFault(400, code, message),
  invalidExpiry: () =>
    new ApigeeFault(400, 'keymanagement.service.InvalidValueForExpiresIn', 'Invalid value for expires in'),
  nameMismatch: () =>
    new ApigeeFault(400, 'rest.interceptor.name_mismatch', 'The e-mail in the path and in the body differ'),
  cursorUnknown: (kind: string, key: string) =>
    new ApigeeFault(404, `keymanagement.service.${kind}_doesnot_exist`, `${kind} ${key} does not exist`),
  unauthenticated: () =>
    new ApigeeFault(401, 'keymanagement.service.invalid_access_token', 'Invalid access token', {
      isRaisedByProxy: true,
    }),
  expiredToken: () =>
    new ApigeeFault(401, 'keymanagement.service.access_token_expired', 'Access Token expired', {
      isRaisedByProxy: true,
    }),
  throttled: () =>
    new ApigeeFault(429, 'policies.ratelimit.QuotaViolation', 'Quota limit exceeded', { isRaisedByProxy: true }),
};
