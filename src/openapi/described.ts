/** The part of joi's `describe()` output that is used. */
export interface Described {
  readonly type?: string;
  readonly flags?: {
    readonly label?: string;
    readonly id?: string;
    readonly description?: string;
    readonly default?: unknown;
    readonly presence?: 'required' | 'optional' | 'forbidden';
    /** Only the values of `allow` are valid. */
    readonly only?: boolean;
    readonly unknown?: boolean;
    /** `strip`: may be sent, but has no effect. */
    readonly result?: string;
  };
  readonly rules?: readonly DescribedRule[];
  readonly allow?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly keys?: Readonly<Record<string, Described>>;
  readonly patterns?: readonly { readonly regex?: string; readonly schema?: Described; readonly rule: Described }[];
  readonly dependencies?: readonly { readonly rel: string; readonly peers: readonly string[]; readonly key?: string }[];
  readonly items?: readonly Described[];
  readonly ordered?: readonly Described[];
  readonly matches?: readonly { readonly schema?: Described }[];
  readonly link?: { readonly ref: { readonly path: readonly string[] } };
}

export interface DescribedRule {
  readonly name: string;
  readonly args?: {
    readonly limit?: unknown;
    readonly regex?: string;
    readonly sign?: string;
    readonly base?: number;
  };
}
