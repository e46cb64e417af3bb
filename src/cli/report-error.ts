import { ConfigurationError, PortalError } from '../core/errors.js';
import { CancelledError, CommandFailedError, EXIT, UsageError } from './errors.js';
import type { Ui } from './ui.js';

/** Prints the error for the user. @returns the exit code */
export async function reportError(error: unknown, ui: Ui, verbose: boolean, command?: string): Promise<number> {
  const { lines, code, isExpected } = explain(error, command);
  if (ui.isJson) {
    ui.json({ error: { type: nameOf(error), message: lines[0], ...faultsOf(error) } });
  }
  const [first = '', ...rest] = lines;
  ui.error(first);
  for (const line of rest) ui.note(line);
  if (!isExpected) await hintAtStack(error, ui, verbose);
  return code;
}

function faultsOf(error: unknown) {
  if (error instanceof ConfigurationError) return { faults: error.faults };
  if (error instanceof CommandFailedError && error.fix !== undefined) return { fix: error.fix };
  const isTold = error instanceof PortalError && error.status < 500 && Object.keys(error.errors).length > 0;
  return isTold ? { errors: error.errors } : {};
}

function explain(error: unknown, command = ''): { lines: string[]; code: number; isExpected: boolean } {
  if (error instanceof ConfigurationError) {
    return { lines: error.message.split('\n'), code: EXIT.configuration, isExpected: true };
  }
  if (error instanceof UsageError) {
    const hint = `Run portal ${command === '' ? '' : `${command} `}--help to see how it is used.`;
    return { lines: [error.message, hint], code: EXIT.usage, isExpected: true };
  }
  if (error instanceof CommandFailedError) {
    const lines = [error.message, ...(error.fix === undefined ? [] : [`Fix: ${error.fix}.`])];
    return { lines, code: EXIT.failed, isExpected: true };
  }
  if (error instanceof CancelledError) return { lines: [error.message], code: EXIT.failed, isExpected: true };
  if (error instanceof PortalError && error.status < 500) {
    const fields = Object.entries(error.errors).map(([field, faults]) => `${field}: ${faults.join(' ')}`);
    return { lines: [error.message, ...fields], code: EXIT.failed, isExpected: true };
  }
  const message = error instanceof Error ? error.message || error.name : String(error);
  const detail = error instanceof PortalError && error.detail !== undefined ? [error.detail] : [];
  return { lines: [message, ...detail], code: EXIT.failed, isExpected: false };
}

async function hintAtStack(error: unknown, ui: Ui, verbose: boolean): Promise<void> {
  const { isDebugging } = await import('../config/index.js');
  if (!verbose && !isDebugging())
    return ui.note('Run again with --verbose (or PORTAL_DEBUG=1) to see where it happened.');
  const { inspect } = await import('node:util');
  const stack = error instanceof Error ? (error.stack ?? '') : inspect(error);
  ui.note(stack);
  if (error instanceof Error && error.cause instanceof Error) ui.note(`Caused by: ${error.cause.stack ?? ''}`);
}

function nameOf(error: unknown): string {
  return error instanceof PortalError ? error.code : error instanceof Error ? error.name : 'Error';
}
