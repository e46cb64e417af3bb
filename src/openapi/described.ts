/** What joi's `describe()` tells of a schema, as far as it is read. */
export interface Described {
  readonly type?: string;
  readonly flags?: {
    readonly label?: string;
    readonly id?: string;
    readonly description?: string;
    readonly default?: unknown;
    readonly presence?: 'required' | 'optional' | 'forbidden';
    /** Nothing but the values of `allow`. */
    readonly only?: boolean;
    readonly unknown?: boolean;
    /** `strip`: may be sent, and changes nothing. */
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
