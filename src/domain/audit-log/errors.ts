import { PortalError } from '../../core/index.js';
import type { ChainFault } from './hash-chain/chain-verifier.js';

/** The log was tampered with, so nothing is removed from it. */
export class BrokenLogError extends PortalError {
  static override readonly code = 'activity_log_broken';
  static override readonly status = 409;

  constructor({ id, reason }: ChainFault) {
    super({ message: `The log is not as it was written (${id === null ? '' : `activity ${id}: `}${reason}).` });
  }
}
