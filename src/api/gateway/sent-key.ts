type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The API key of a call: `X-API-Key`, else `Authorization: Bearer` or `ApiKey`, else `apikey` in the query of the call.
 * A key sent twice yields a text that is never a valid key. null: none was sent.
 * @param uri path and query of the call to the API, never of the check: proxies append to them (gateways.md, E2)
 */
export function readSentKey(headers: Headers, uri: string): string | null {
  const header = readSingle(headers['x-api-key']);
  if (header) return header;
  const authorization = /^(?:bearer|apikey) (.*)$/i.exec(readSingle(headers.authorization) ?? '')?.[1]?.trim();
  if (authorization) return authorization;
  const start = uri.indexOf('?');
  if (start === -1) return null;
  const values = new URLSearchParams(uri.slice(start)).getAll('apikey').filter((value) => value !== '');
  return values.length === 0 ? null : values.join(',');
}

/** The value of a header that may occur only once. */
export function readSingle(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value?.trim();
}
