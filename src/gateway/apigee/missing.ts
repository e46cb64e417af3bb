import { GatewayNotFoundError } from '../errors.js';

/** For `catch`: what is gone is as it should be. */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof GatewayNotFoundError) return undefined;
  throw error;
}
