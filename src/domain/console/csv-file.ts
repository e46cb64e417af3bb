import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { readCsvField, ValidationError } from '../../core/index.js';

/** Most bytes of a file, and most of its records. */
export const MOST_BYTES = 5 * 1024 * 1024;
export const MOST_RECORDS = 10_000;
const MOST_COLUMNS = 100;
/** Parsed at once; in between others get their turn. */
const CHUNK = 64 * 1024;
const SEPARATORS = [',', ';', '\t'];

export interface CsvFile {
  /** Of the first line; unique and not empty. */
  readonly columns: readonly string[];
  /** Cells of the other lines, as many as there are columns, with the number of the line at which each begins. */
  readonly records: readonly CsvRecord[];
}

export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Reads a CSV file in UTF-8, with commas, semicolons or tabs and names of columns in its first line.
 * @throws ValidationError on `file`, which says what is wrong and where
 */
export async function readCsv(bytes: Buffer): Promise<CsvFile> {
  if (bytes.length > MOST_BYTES) throw refusal('The file must not be larger than 5 MB.');
  const text = decode(bytes);
  const parser = Readable.from(chunksOf(text)).pipe(
    parse({
      delimiter: separatorOf(text),
      ...{ bom: true, info: true, relax_column_count: true, skip_empty_lines: true },
      max_record_size: 256 * 1024,
    }),
  );
  const records: CsvRecord[] = [];
  let columns: readonly string[] | null = null;
  try {
    for await (const item of parser) {
      const { record, info } = item as { record: string[]; info: { lines: number } };
      if (!columns) columns = readColumns(record);
      else records.push({ line: info.lines, cells: readCells(record, columns, info.lines) });
      if (records.length > MOST_RECORDS) throw refusal('The file must not have more than 10000 records.');
    }
  } catch (error) {
    if (error instanceof CsvError) throw refusal(`The file is no CSV: ${error.message}.`, error);
    throw error;
  }
  if (!columns || records.length === 0)
    throw refusal('The file needs a line with the names of the columns, and records.');
  return { columns, records };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw refusal('The file must be written in UTF-8.', cause);
  }
}

/** The one that the first line has most of. */
function separatorOf(text: string): string {
  const line = text.split(/[\r\n]/, 1)[0] ?? '';
  const count = (separator: string) => line.split(separator).length;
  return SEPARATORS.reduce((best, separator) => (count(separator) > count(best) ? separator : best));
}

function* chunksOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += CHUNK) yield text.slice(start, start + CHUNK);
}

function readColumns(names: readonly string[]): readonly string[] {
  const columns = names.map((name) => name.trim().slice(0, 100));
  if (columns.length > MOST_COLUMNS) throw refusal(`The file must not have more than ${MOST_COLUMNS} columns.`);
  if (columns.some((name) => name === '')) throw refusal('Every column needs a name in the first line.');
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice !== undefined) throw refusal(`The column ${twice} occurs twice.`);
  return columns;
}

function readCells(record: readonly string[], columns: readonly string[], line: number): string[] {
  if (record.length > columns.length) throw refusal(`Line ${line} has more cells than there are columns.`);
  return columns.map((_, index) => readCsvField(record[index] ?? '').trim());
}

function refusal(sentence: string, cause?: unknown): ValidationError {
  return new ValidationError({ file: [sentence] }, { cause });
}
