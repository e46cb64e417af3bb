/** What one check of `portal doctor` found. A failure keeps the portal from working; a warning is worth a look. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failure';
  readonly message: string;
  /** An instruction without a full stop. */
  readonly fix?: string;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message };
}

export function warning(check: string, message: string, fix: string): Finding {
  return { check, status: 'warning', message, fix };
}

export function failure(check: string, message: string, fix?: string): Finding {
  return { check, status: 'failure', message, ...(fix === undefined ? {} : { fix }) };
}
