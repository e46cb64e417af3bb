import { foreignError, PortalError } from '../core/index.js';
import type { GatewayDriver } from './contract.js';

const GROUPS: readonly string[] = [
  'developers',
  'apps',
  'keys',
  'keyProducts',
  'products',
  'inventory',
  'statistics',
  'verifier',
];

/**
 * Wraps a host's driver so that its errors can be logged: backend clients often attach the whole response, or the
 * request with its credentials (S69). Contract errors pass unchanged.
 */
export function hideDriverMessages(driver: GatewayDriver): GatewayDriver {
  return wrap(driver, (name, value) => (GROUPS.includes(name) ? wrap(value) : value));
}

function wrap<T extends object>(
  target: T,
  wrapNested: (name: string, value: object) => object = (_, value) => value,
): T {
  // The target is an empty object, because a proxy must return properties of a frozen target unchanged.
  return new Proxy({} as T, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value === 'function')
        return (...values: unknown[]) => call(() => Reflect.apply(value, target, values));
      return typeof value === 'object' && value !== null && typeof name === 'string' ? wrapNested(name, value) : value;
    },
  });
}

function call(run: () => unknown): unknown {
  try {
    const result = run();
    return result instanceof Promise ? result.catch((error: unknown) => Promise.reject(silence(error))) : result;
  } catch (error) {
    throw silence(error);
  }
}

function silence(error: unknown): Error {
  if (!(error instanceof PortalError)) return foreignError(error);
  const { cause } = error;
  if (cause !== undefined && !(cause instanceof PortalError)) error.cause = foreignError(cause);
  return error;
}
