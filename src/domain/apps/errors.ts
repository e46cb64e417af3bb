import { ForbiddenError } from '../../kernel/index.js';

/** The developer's own account still waits for approval (or was closed), so nothing may be created with it. */
export class AccountNotActiveError extends ForbiddenError {
  static override readonly code = 'account_not_active';
  static override readonly publicMessage = 'Account pending approval.';
}
