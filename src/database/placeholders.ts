/** The `?` for a list of values: `IN (${placeholders(ids)})`. SQL knows no empty list: see to that first. */
export function placeholders(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
