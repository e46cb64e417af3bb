export interface ApigeeAttribute {
  readonly name: string;
  readonly value: string;
}

export function attributeOf(record: { readonly attributes: readonly ApigeeAttribute[] }, name: string): string | null {
  return record.attributes.find((attribute) => attribute.name === name)?.value ?? null;
}

/** With these values and everything else as it was. Apigee's own pages break on empty values, so those are left out. */
export function withAttributes(
  attributes: readonly ApigeeAttribute[],
  values: Readonly<Record<string, string>>,
): readonly ApigeeAttribute[] {
  const others = attributes.filter(({ name }) => !Object.hasOwn(values, name));
  const own = Object.entries(values).map(([name, value]) => ({ name, value }));
  return [...others, ...own.filter(({ value }) => value !== '')];
}
