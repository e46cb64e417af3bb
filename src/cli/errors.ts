/** Exit codes of every command; 78 is EX_CONFIG of sysexits.h. */
export const EXIT = { ok: 0, failed: 1, usage: 2, configuration: 78 } as const;

/** The command line cannot be carried out as it was written. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command could not do its work, for a reason that its user can mend. */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';

  /** @param fix what to do about it, as an instruction without a full stop */
  constructor(
    message: string,
    readonly fix?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The user left a question with Ctrl+C or Escape. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';

  constructor() {
    super('Cancelled.');
  }
}
