interface Describable {
  describe(): unknown;
}

const descriptions = new WeakMap<Describable, unknown>();

/** What a joi schema says of itself, asked once for each: it takes milliseconds, and schemas never change. Not to be changed. */
export function describeSchema<Description>(schema: Describable): Description {
  const known = descriptions.get(schema);
  if (known !== undefined) return known as Description;
  const description = schema.describe();
  descriptions.set(schema, description);
  return description as Description;
}
