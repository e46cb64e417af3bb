/** The `?` for a list of values: `IN (${placeholders(ids)})`. SQL has no empty list, so handle that first. */
export function placeholders(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
