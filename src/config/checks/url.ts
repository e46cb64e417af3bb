import type { CheckContext } from './context.js';

/** S37 and S47: links and cookie attributes follow from `app.url`. */
export function checkUrl({ config: { app }, fault, unsafe }: CheckContext): void {
  const fix = 'write scheme and host, such as https://portal.example.com';
  if (app.url === '') return fault('app.url', 'is required in production', fix);
  if (!/^https?:\/\//i.test(app.url) || !URL.canParse(app.url))
    return fault('app.url', 'must be an http or https URL', fix);
  const { pathname, search, hash, username, password, protocol } = new URL(app.url);
  if (pathname !== '/' || `${search}${hash}${username}${password}` !== '') {
    fault('app.url', 'must have no path, query, fragment or credentials', fix);
  }
  if (protocol === 'http:' && app.env === 'production' && !app.allowHttp) {
    unsafe('app.url', 'is plain http', 'use https, or set app.allowHttp to true when a trusted network protects it');
  }
}
