/** Parameters of a path that open something, or say who somebody is (S69). */
const SECRET_PARAMETER = /token|code|key|secret|password|mail/i;
/** Slugs and names are shorter; a token is not. */
const LONGEST_WORD = 24;

/**
 * A path for logs and traces: without its query, and with `{token}` in the place of one. What belongs to no route may be a
 * mangled link of a mail: long words are left out of it.
 * @param path as sent
 * @param route as declared, with `:name` parameters; undefined when none was found
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
