export type CustomAttribute = string | number | boolean;

/** What a client may write: null removes. */
export type CustomAttributeInput = Readonly<Record<string, CustomAttribute | null>>;

/**
 * The attributes after a write. Only declared names are taken from `input`, whatever else it holds (S52); what is stored
 * under other names, for example by an identity provider, stays.
 */
export function mergeCustomAttributes(
  stored: Readonly<Record<string, unknown>>,
  input: CustomAttributeInput,
  declared: readonly string[],
): Record<string, unknown> {
  const merged = new Map(Object.entries(stored));
  for (const name of declared) {
    if (!Object.hasOwn(input, name)) continue;
    const value = input[name];
    if (value === null || value === undefined) merged.delete(name);
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}
