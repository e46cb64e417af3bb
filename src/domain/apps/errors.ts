import { ConflictError, ForbiddenError } from '../../core/index.js';

/** The developer's account still waits for approval (or was closed), so nothing can be created. */
export class AccountNotActiveError extends ForbiddenError {
  static override readonly code = 'account_not_active';
  static override readonly publicMessage = 'Account pending approval.';
}

/** A change took too long, counted as dead and was settled by another process. */
export class OvertakenError extends ConflictError {
  static override readonly code = 'change_overtaken';
}
