/** One setting of the program: what it is, its default and what it means. Read by the loader, the CLI and the docs. */
export interface Option<T = unknown> {
  readonly kind: 'text' | 'integer' | 'flag' | 'choice' | 'list' | 'map';
  readonly default: T;
  /** One sentence for `docs/configuration.md`, with the unit of a number. */
  readonly description: string;
  /** Masked wherever the configuration is shown. */
  readonly secret?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  /** For `text`: what the value must look like, and how the fault is told. */
  readonly pattern?: { readonly regex: RegExp; readonly hint: string };
  /** Further environment names, used when the one made from the path is absent (`PORT`). */
  readonly env?: readonly string[];
}

export type OptionSection = { readonly [name: string]: Option | OptionSection };

/** The values of a section. */
export type OptionValues<S> = {
  readonly [K in keyof S]: S[K] extends Option<infer T> ? T : OptionValues<S[K]>;
};

type Extra = Omit<Option, 'kind' | 'default' | 'description'>;

/** A string; `undefined` as default means "not set". */
export function text<D extends string | undefined>(
  fallback: D,
  description: string,
  extra: Extra = {},
): Option<D extends string ? string : string | undefined> {
  return { kind: 'text', default: fallback as never, description, ...extra };
}

/** A whole number between `extra.min` (default 0) and `extra.max`. `undefined` as default means "not set". */
export function integer<D extends number | undefined>(
  fallback: D,
  description: string,
  extra: Extra = {},
): Option<D extends number ? number : number | undefined> {
  return { kind: 'integer', default: fallback as never, description, min: 0, ...extra };
}

/** `true` or `false`; the environment also takes `1`, `0`, `yes`, `no`. */
export function flag(fallback: boolean, description: string, extra: Extra = {}): Option<boolean> {
  return { kind: 'flag', default: fallback, description, ...extra };
}

export function choice<const C extends string>(
  choices: readonly C[],
  fallback: NoInfer<C>,
  description: string,
): Option<C> {
  return { kind: 'choice', default: fallback, description, choices };
}

/** Strings; in the environment separated by commas. */
export function list(fallback: readonly string[], description: string, extra: Extra = {}): Option<readonly string[]> {
  return { kind: 'list', default: fallback, description, ...extra };
}

/** Name → value; in the environment a JSON object. */
export function map<T = unknown>(description: string, extra: Extra = {}): Option<Readonly<Record<string, T>>> {
  return { kind: 'map', default: {}, description, ...extra };
}
