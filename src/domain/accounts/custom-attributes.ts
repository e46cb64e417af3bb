import { sayUnknownField, ValidationError } from '../../core/index.js';

export type CustomAttribute = string | number | boolean;

/** What a client may write: null removes. */
export type CustomAttributeInput = Readonly<Record<string, CustomAttribute | null>>;

/**
 * The attributes after a write. Only declared names can be written (S52); other stored attributes, for example from an
 * identity provider, are kept and may be sent back unchanged.
 * @throws ValidationError on `custom_attributes.…` for every other name
 */
export function mergeCustomAttributes(
  stored: Readonly<Record<string, unknown>>,
  input: CustomAttributeInput,
  declared: readonly string[],
): Record<string, unknown> {
  refuseUndeclared(stored, input, declared);
  const merged = new Map(Object.entries(stored));
  for (const name of declared) {
    if (!Object.hasOwn(input, name)) continue;
    const value = input[name];
    if (value === null || value === undefined) merged.delete(name);
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

function refuseUndeclared(
  stored: Readonly<Record<string, unknown>>,
  input: CustomAttributeInput,
  declared: readonly string[],
): void {
  const isReadBack = (name: string) => Object.hasOwn(stored, name) && stored[name] === input[name];
  const strange = Object.keys(input).filter((name) => !declared.includes(name) && !isReadBack(name));
  if (strange.length === 0) return;
  const fault = (name: string): [string, string[]] => [`custom_attributes.${name}`, [sayUnknownField(name, declared)]];
  throw new ValidationError(Object.fromEntries(strange.map(fault)));
}
