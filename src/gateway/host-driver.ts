import { foreignError, PortalError } from '../core/index.js';
import type { GatewayDriver } from './contract.js';

const GROUPS: readonly string[] = ['developers', 'apps', 'keys', 'keyProducts', 'products', 'inventory', 'verifier'];

/**
 * A driver of the host whose errors can be logged: those of the client that it calls its backend with often hold the whole
 * answer, or the request with its credentials (S69). Errors of the contract stay what they are.
 */
export function withoutForeignWords(driver: GatewayDriver): GatewayDriver {
  return quiet(driver, (name, value) => (GROUPS.includes(name) ? quiet(value) : value));
}

function quiet<T extends object>(target: T, nested: (name: string, value: object) => object = (_, value) => value): T {
  // Of nothing, because what is frozen may be given by its proxy only as it is.
  return new Proxy({} as T, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value === 'function')
        return (...values: unknown[]) => call(() => Reflect.apply(value, target, values));
      return typeof value === 'object' && value !== null && typeof name === 'string' ? nested(name, value) : value;
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
