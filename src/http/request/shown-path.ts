/** Path parameters that grant access or identify somebody (S69). */
const SECRET_PARAMETER = /token|code|key|secret|password|mail/i;
/** Slugs and names are shorter; a token is not. */
const LONGEST_WORD = 24;

/**
 * A path for logs and traces: without its query, and with `{token}` in place of a token. A path without a route may be
 * a mangled link from a mail, so long words are masked.
 * @param path as sent
 * @param route as declared, with `:name` parameters; undefined if none matches
 */
export function maskPath(path: string, route: string | undefined): string {
  const sent = (path.split('?', 1)[0] ?? '').split('/');
  if (route === undefined || route.includes('*')) {
    return sent.map((word) => (word.length > LONGEST_WORD ? '…' : word)).join('/');
  }
  return route
    .split('/')
    .map((name, index) => {
      if (!name.startsWith(':')) return name;
      return SECRET_PARAMETER.test(name) ? `{${name.slice(1)}}` : (sent[index] ?? '');
    })
    .join('/');
}
