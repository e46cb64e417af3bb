import type { PageRequest } from '../http/index.js';

/** A text field: the last value if it was sent twice, empty if it was not sent. */
export function field({ form }: PageRequest, name: string): string {
  return form.get(name)?.at(-1) ?? '';
}

/** A text field; undefined if the form has none of that name. */
export function readOptionalField({ form }: PageRequest, name: string): string | undefined {
  return form.get(name)?.at(-1);
}

/** A repeated field, each value once. */
export function listField({ form }: PageRequest, name: string): string[] {
  return [...new Set(form.get(name) ?? [])].filter((value) => value !== '');
}

const SECRET = /password|^_|token|code/i;

/** The submitted values, to show them again; secrets are never sent back. */
export function readTyped({ form }: PageRequest): Record<string, unknown> {
  const shown = [...form].filter(([name]) => !SECRET.test(name));
  return Object.fromEntries(shown.map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}
