import { readFile } from 'node:fs/promises';

/** `!env NAME`: comes from the environment, and is told by its name alone. */
export class EnvValue {
  constructor(
    readonly name: string,
    readonly value: string,
  ) {}
}

/** A file beside the record, read when it is needed. `!file path`, or a field that names one. */
export class FileValue {
  constructor(
    /** As it stands in the record. */
    readonly name: string,
    private readonly path: string,
  ) {}

  read(): Promise<Buffer> {
    return readFile(this.path);
  }
}

/** What the API is sent for a value. */
export async function resolveValue(value: unknown): Promise<unknown> {
  if (value instanceof EnvValue) return value.value;
  if (value instanceof FileValue) return (await value.read()).toString('utf8').replace(/\r?\n$/, '');
  return value;
}

/** A value as people and plans see it. */
export function presentValue(value: unknown): unknown {
  if (value instanceof EnvValue) return `(from ${value.name})`;
  if (value instanceof FileValue) return `(file ${value.name})`;
  return value;
}
