/**
 * One setting: its kind, default and description. Read by the loader, the CLI and the docs. `T` is the value that the
 * program sees, `I` what a host may write.
 */
export interface Option<T = unknown, I = T> {
  readonly kind: 'text' | 'path' | 'integer' | 'duration' | 'bytes' | 'flag' | 'choice' | 'list' | 'map';
  readonly default: T;
  /** One sentence for `docs/configuration.md`, with the unit of a number. */
  readonly description: string;
  /** Masked wherever the configuration is shown. */
  readonly secret?: boolean;
  readonly min?: number;
  readonly max?: number;
  /** For `choice`, and for the items of a `list`. */
  readonly choices?: readonly string[];
  /** For `text` and the items of a `list`: the required form, and how a fault describes it. */
  readonly pattern?: { readonly regex: RegExp; readonly hint: string };
  /** For `duration`: the unit of a bare number. */
  readonly unit?: DurationUnit;
  /** For `integer`: `false` may be written for 0. */
  readonly falseIsZero?: boolean;
  /** Shown instead of the default when the loader derives it from other values. */
  readonly derived?: string;
  /** Additional environment names, used when the derived one is absent (`PORT`). */
  readonly env?: readonly string[];
  /** Type carrier of `I`; never set. */
  readonly accepts?: I;
}

export type OptionSection = { readonly [name: string]: AnyOption | OptionSection };

// Because of `accepts`, an Option<string> is not an Option<unknown>; a tree holds options of every type.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyOption = Option<any, any>;

/** The values of a section as the program sees them. */
export type OptionValues<S> = {
  readonly [K in keyof S]: S[K] extends Option<infer T, infer _I> ? T : OptionValues<S[K]>;
};

/** The values of a section as a host may write them: all optional. */
export type OptionInputs<S> = {
  readonly [K in keyof S]?: S[K] extends Option<infer _T, infer I> ? I : OptionInputs<S[K]>;
};

export type DurationUnit = 'seconds' | 'minutes' | 'hours' | 'days';

type Extra = Omit<Option, 'kind' | 'default' | 'description' | 'accepts' | 'unit'>;

/** Distinguishes options from sections; no section may have an entry named `kind`. */
export function isOption(node: AnyOption | OptionSection): node is AnyOption {
  return typeof node.kind === 'string';
}

/** A string; `undefined` as default means "not set". */
export function text<D extends string | undefined>(
  fallback: D,
  description: string,
  extra: Extra = {},
): Option<D extends string ? string : string | undefined> {
  return { kind: 'text', default: fallback as never, description, ...extra };
}

/**
 * A URL path of path segments. Leading and trailing slashes are optional; the program sees the form of the default:
 * `/docs` with a leading slash, or `admin` without.
 */
export function path(fallback: string, description: string, extra: Extra = {}): Option<string> {
  return { kind: 'path', default: fallback, description, ...extra };
}

/** A whole number between `extra.min` (default 0) and `extra.max`. `undefined` as default means "not set". */
export function integer<D extends number | undefined>(
  fallback: D,
  description: string,
  extra: Extra = {},
): Option<D extends number ? number : number | undefined, number | false> {
  return { kind: 'integer', default: fallback as never, description, min: 0, ...extra };
}

/**
 * A length of time; the program sees seconds. Written as `45s`, `15m`, `12h`, `30d`, or as a bare number of `unit`.
 * @param fallback seconds; `undefined` means "not set"
 */
export function duration<D extends number | undefined>(
  fallback: D,
  description: string,
  extra: Extra & { unit?: DurationUnit } = {},
): Option<D extends number ? number : number | undefined, number | string> {
  return { kind: 'duration', default: fallback as never, description, min: 1, unit: 'seconds', ...extra };
}

/** A size; the program sees bytes. Written as `100kb`, `20mb` (1 kb = 1024 bytes), or as a bare number of bytes. */
export function bytes(fallback: number, description: string, extra: Extra = {}): Option<number, number | string> {
  return { kind: 'bytes', default: fallback, description, min: 1, ...extra };
}

/** `true` or `false`; the environment also takes `1`, `0`, `yes`, `no`, `on`, `off`. */
export function flag(fallback: boolean, description: string, extra: Extra = {}): Option<boolean> {
  return { kind: 'flag', default: fallback, description, ...extra };
}

export function choice<const C extends string>(
  choices: readonly C[],
  fallback: NoInfer<C>,
  description: string,
  extra: Extra = {},
): Option<C> {
  return { kind: 'choice', default: fallback, description, choices, ...extra };
}

/** Strings; in the environment separated by commas. */
export function list(fallback: readonly string[], description: string, extra: Extra = {}): Option<readonly string[]> {
  return { kind: 'list', default: fallback, description, ...extra };
}

/** Name → value; in the environment a JSON object. */
export function map<T = unknown>(description: string, extra: Extra = {}): Option<Readonly<Record<string, T>>> {
  return { kind: 'map', default: {}, description, ...extra };
}
