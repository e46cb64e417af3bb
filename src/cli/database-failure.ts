import { PortalError } from '../core/errors.js';
import { CommandFailedError } from './errors.js';

interface Reason {
  readonly what: string;
  readonly fix: string;
}

/**
 * Explains a database error to the user: what was attempted, why it failed, what to do. Other errors are returned
 * unchanged. Never contains the password of `database.url`.
 */
export function explainDatabaseFailure(error: unknown, url: string): unknown {
  if (isFileError(error)) return toFailure(fileReason(error.code, error.path ?? fileOf(url)), error);
  if (!(error instanceof PortalError)) return error;
  if (error.code === 'migration_failed') return migrationFailure(error);
  if (!error.code.startsWith('database_') && error.code !== 'transaction_conflict') return error;
  // A message of its own says more than the error code.
  if (error.message !== new PortalError().message && error.message !== 'Service unavailable.') {
    return new CommandFailedError(error.message, undefined, { cause: error });
  }
  const reason = reasonOf(error, url);
  return reason === undefined ? error : toFailure(reason, error);
}

/** The printable part of `database.url`: `127.0.0.1:3306/portal` or the file name. */
export function describeDatabase(url: string): string {
  if (url.startsWith('sqlite:')) return fileOf(url);
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || '3306'}${pathname}`;
}

// Running again is always right: SQLite has rolled the step back, and on MySQL completed steps are skipped.
function migrationFailure(error: PortalError): CommandFailedError {
  const fix =
    'mend the cause, then run the same command again: it goes on with this migration and passes over the steps that are done';
  return new CommandFailedError(error.message, fix, { cause: error });
}

function reasonOf(error: PortalError, url: string): Reason | undefined {
  const code = codeOf(error.cause) ?? error.detail?.split(' ')[0] ?? '';
  if (code.startsWith('SQLITE_')) return sqliteReason(code, fileOf(url));
  if (url.startsWith('sqlite:')) return /^E[A-Z]+$/.test(code) ? fileReason(code, fileOf(url)) : undefined;
  const where = describeDatabase(url);
  const { hostname, pathname, username } = new URL(url);
  const name = decodeURIComponent(pathname.slice(1));
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) {
    return { what: `The host ${hostname} of database.url is not known`, fix: 'correct DATABASE_URL' };
  }
  if (/ACCESS_DENIED/.test(code)) {
    const fix = 'correct user and password in DATABASE_URL, or grant the user access';
    return { what: `The database server at ${where} refuses the user ${decodeURIComponent(username)}`, fix };
  }
  if (/BAD_DB/.test(code)) {
    const fix = `create it (CREATE DATABASE \`${name}\` CHARACTER SET utf8mb4), or correct DATABASE_URL`;
    return { what: `There is no database ${name} at ${where}`, fix };
  }
  if (error.code === 'database_error') return undefined;
  const fix = 'start it, or correct DATABASE_URL';
  return { what: `No database answers at ${where} (database.url)${code === '' ? '' : `: ${code}`}`, fix };
}

function sqliteReason(code: string, file: string): Reason | undefined {
  switch (code) {
    case 'SQLITE_NOTADB':
      return { what: `${file} is not a SQLite database`, fix: 'correct DATABASE_URL, or restore the file' };
    case 'SQLITE_CANTOPEN':
      return {
        what: `The database file ${file} cannot be opened`,
        fix: 'check that its folder exists and may be written',
      };
    case 'SQLITE_READONLY':
      return { what: `The database file ${file} may not be written`, fix: 'give this user write access to it' };
    case 'SQLITE_FULL':
      return { what: `There is no space left for the database file ${file}`, fix: 'free some, then run again' };
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
      return { what: `Another process keeps writing to ${file}`, fix: 'wait for it or end it, then run again' };
    default:
      return undefined;
  }
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'may not be written',
  EROFS: 'is on a read-only file system',
  // What Node says of a folder to make on a read-only file system.
  ENOENT: 'cannot be created: its folder is not there and cannot be made',
  EEXIST: 'lies below a file',
  ENOTDIR: 'lies below a file',
};

function fileReason(code: string, path: string): Reason {
  return {
    what: `The database file ${path} ${FILE_FAULTS[code] ?? `cannot be created (${code})`}`,
    fix: 'correct DATABASE_URL, or give this user write access to the folder',
  };
}

function toFailure({ what, fix }: Reason, cause: unknown): CommandFailedError {
  return new CommandFailedError(`${what}.`, fix, { cause });
}

function fileOf(url: string): string {
  return url.replace(/^sqlite:/, '');
}

function isFileError(error: unknown): error is Error & { code: string; path?: string } {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  return error instanceof Error && typeof code === 'string' && (syscall === 'mkdir' || syscall === 'open');
}

function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
