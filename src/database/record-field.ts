import { DataTypes, type DataType } from 'sequelize';
import type { FilterType } from '../core/index.js';
import type { Decoder } from './decode.js';

export interface FieldSettings {
  readonly type: DataType;
  /** Type for sorting and filtering in lists; absent when not supported. */
  readonly listed?: FilterType;
  readonly decoder?: Decoder;
  readonly isKey?: boolean;
  readonly isNumbered?: boolean;
  readonly isNullable?: boolean;
  readonly isUnique?: boolean;
  readonly isHidden?: boolean;
  readonly standard?: unknown;
  readonly name?: string;
}

/**
 * A field of a record, which is a column of its table. Types only: `T` is the value, `Shown` whether the record
 * includes it, `Required` whether an insert must set it.
 */
export class Field<T, Shown extends boolean = true, Required extends boolean = true> {
  declare readonly value: T;
  declare readonly shown: Shown;
  declare readonly required: Required;

  constructor(readonly settings: FieldSettings) {}

  nullable(): Field<T | null, Shown, false> {
    return new Field({ ...this.settings, isNullable: true });
  }

  /** Not part of the record: password hashes, leases. Read only when requested by name. */
  hidden(): Field<T, false, Required> {
    return new Field({ ...this.settings, isHidden: true });
  }

  default(standard: T): Field<T, Shown, false> {
    return new Field({ ...this.settings, standard });
  }

  /** Part of the primary key, for records without an id. */
  key(): Field<T, Shown, Required> {
    return new Field({ ...this.settings, isKey: true });
  }

  unique(): Field<T, Shown, Required> {
    return new Field({ ...this.settings, isUnique: true });
  }

  /** Column name, where it is not the field's name in snake_case. */
  named(name: string): Field<T, Shown, Required> {
    return new Field({ ...this.settings, name });
  }
}

/** The field types. */
export const fieldOf = {
  id: (): Field<number, true, false> =>
    new Field({ type: DataTypes.BIGINT, listed: 'integer', isKey: true, isNumbered: true, isUnique: true }),
  /** The id of another record. */
  reference: () => new Field<number>({ type: DataTypes.BIGINT, listed: 'integer' }),
  integer: () => new Field<number>({ type: DataTypes.INTEGER, listed: 'integer' }),
  /** Up to 2^53. */
  bigint: () => new Field<number>({ type: DataTypes.BIGINT, listed: 'integer' }),
  boolean: () => new Field<boolean>({ type: DataTypes.BOOLEAN, listed: 'boolean', decoder: 'boolean' }),
  text: <T extends string = string>(length: number) =>
    new Field<T>({ type: DataTypes.STRING(length), listed: 'string' }),
  longText: () => new Field<string>({ type: DataTypes.TEXT('medium'), listed: 'string' }),
  bytes: () => new Field<Buffer>({ type: DataTypes.BLOB('medium') }),
  json: <T>() => new Field<T>({ type: DataTypes.JSON, decoder: 'json' }),
  /** UTC with milliseconds. */
  time: () => new Field<Date>({ type: DataTypes.DATE(3), listed: 'date', decoder: 'date' }),
} as const;

/** The timestamps that every record has; services set them from the injected clock. */
export const times = { createdAt: fieldOf.time(), updatedAt: fieldOf.time() } as const;

export type Fields = Readonly<Record<string, Field<unknown, boolean, boolean>>>;

export type ShownRow<C extends Fields> = {
  readonly [K in keyof C as C[K]['shown'] extends true ? K : never]: C[K]['value'];
};
export type Values<C extends Fields> = { [K in keyof C]: C[K]['value'] };
export type NewValues<C extends Fields> = {
  readonly [K in keyof C as C[K]['required'] extends true ? K : never]: C[K]['value'];
} & { readonly [K in keyof C as C[K]['required'] extends true ? never : K]?: C[K]['value'] | undefined };
export type ChangedValues<C extends Fields> = { readonly [K in keyof C]?: C[K]['value'] | FromRow | undefined };

/** In an update: the value of another field of the row, or of the same one plus a number. */
export class FromRow {
  constructor(
    readonly field: string,
    readonly plus: number,
  ) {}
}

/** `{ tries: fromRow('tries', 1) }` counts; `{ secret: fromRow('pendingSecret') }` copies, if set before `pendingSecret`. */
export function fromRow(field: string, plus = 0): FromRow {
  return new FromRow(field, plus);
}

/** The column of a field as Sequelize wants it. */
export function attributeOf(field: string, { type, name, isKey, isNumbered, standard }: FieldSettings) {
  return {
    type,
    field: name ?? snakeCase(field),
    ...(isKey && { primaryKey: true }),
    ...(isNumbered && { autoIncrement: true }),
    ...(standard !== undefined && { defaultValue: standard }),
  };
}

export function snakeCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
