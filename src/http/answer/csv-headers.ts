/** Headers of a CSV file to save; nothing keeps a copy of it. @param name without the extension */
export function csvHeaders(name: string): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}.csv"`,
    'Cache-Control': 'no-store',
  };
}
