/** Prefixes that spreadsheets treat as a formula (S68), including their full-width forms. */
const FORMULA = /^[=+\-@\t\r\u0000＝＋－＠]/;

/** One line of CSV (RFC 4180). Every field is quoted, and none can run as a formula. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvField).join(',')}\r\n`;
}

/** A field as {@link csvLine} was given it: without the apostrophe that keeps it from running. */
export function readCsvField(field: string): string {
  return field.startsWith("'") && FORMULA.test(field.slice(1)) ? field.slice(1) : field;
}

function csvField(value: unknown): string {
  const text = textOf(value);
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
