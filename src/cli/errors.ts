/** Exit codes of every command; 78 is EX_CONFIG of sysexits.h. */
export const EXIT = { ok: 0, failed: 1, usage: 2, configuration: 78 } as const;

/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed for a reason that the user can fix. */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';

  /** @param fix an instruction, without a full stop */
  constructor(
    message: string,
    readonly fix?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The user cancelled a prompt with Ctrl+C or Escape. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';

  constructor() {
    super('Cancelled.');
  }
}
