import { ConflictError, ForbiddenError } from '../../core/index.js';

/** The developer's own account still waits for approval (or was closed), so nothing may be created with it. */
export class AccountNotActiveError extends ForbiddenError {
  static override readonly code = 'account_not_active';
  static override readonly publicMessage = 'Account pending approval.';
}

/** A change took so long that it was taken for dead and brought to an end by somebody else. */
export class OvertakenError extends ConflictError {
  static override readonly code = 'change_overtaken';
}
