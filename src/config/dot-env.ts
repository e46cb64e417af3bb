import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv, types } from 'node:util';
import { ConfigurationError } from '../core/index.js';

/** The content of a `.env` file, with line numbers. */
export interface DotEnv {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Name → line number. */
  readonly lines: Readonly<Record<string, number>>;
  /** Lines that yield a wrong value. */
  readonly faults: readonly string[];
  /** Lines that have no effect. */
  readonly warnings: readonly string[];
}

/** For a folder without the file, and for tests. */
export const NO_DOT_ENV: DotEnv = { variables: {}, lines: {}, faults: [], warnings: [] };

const NAME = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)$/;
/** The start of a setting; does not match a line of a base64 key. */
const NEXT_SETTING = /^\s*(?:export\s+)?[A-Z][A-Z0-9]*_[A-Z0-9_]*\s*=/;

/** @throws ConfigurationError when the file exists but cannot be read */
export function readDotEnv(root: string): DotEnv {
  const file = join(root, '.env');
  if (!existsSync(file)) return NO_DOT_ENV;
  try {
    return parseDotEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = types.isNativeError(error) ? error.message : String(error);
    const fix = 'let the user that runs the portal read it, or leave it out and put its settings into the environment';
    throw new ConfigurationError([`.env: cannot be read: ${reason}. Fix: ${fix}.`]);
  }
}

/**
 * Values are parsed by Node.js, which silently skips a line that it does not understand, and the next one with it.
 * @internal
 */
export function parseDotEnv(text: string): DotEnv {
  const rows = text.split(/\r?\n/);
  const lines: Record<string, number> = {};
  const faults: string[] = [];
  const warnings: string[] = [];
  const understood: string[] = [];
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? '';
    if (/^\s*(?:#|$)/.test(row)) continue;
    const sign = row.indexOf('=');
    const name = sign < 0 ? undefined : NAME.exec(row.slice(0, sign).trim())?.[1];
    const place = `.env:${index + 1}`;
    if (name === undefined) {
      warnings.push(`${place}: is no setting. Fix: ${suggestSyntax(row)}.`);
      continue;
    }
    lines[name] = index + 1;
    const end = endOfValue(rows, index, row.slice(sign + 1).trim());
    understood.push(...rows.slice(index, (end ?? index) + 1));
    if (end === null) faults.push(`${name} (${place}): has a quote that is never closed. Fix: ${CLOSE}.`);
    else index = end;
  }
  return { variables: parseEnv(understood.join('\n')), lines, faults, warnings };
}

const CLOSE = 'put one at the end of the value, or take away the one at its beginning';

/** @returns the index of the row where the value ends; null when its quote is never closed */
function endOfValue(rows: readonly string[], start: number, value: string): number | null {
  const quote = value.charAt(0);
  if (!['"', "'", '`'].includes(quote)) return start;
  if (value.indexOf(quote, 1) > 0) return start;
  for (let index = start + 1; index < rows.length; index += 1) {
    const row = rows[index] ?? '';
    if (NEXT_SETTING.test(row)) return null;
    if (row.includes(quote)) return index;
  }
  return null;
}

// Never shows the line: it may hold a secret.
function suggestSyntax(row: string): string {
  const name = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)/.exec(row)?.[1];
  const begin = name !== undefined && name.toUpperCase() === name ? name : 'NAME';
  return `write ${begin}=value, or # in front of a comment`;
}
