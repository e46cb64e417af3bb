import type { AdminRecord } from '../domain/accounts/index.js';
import { TEST_PASSWORD } from './factories.js';
import type { TestPortal } from './test-portal.js';

/** Opens a page of the admin console. @param path below the console's own: `/users` */
export type OpenConsolePage = (path: string) => Promise<{ readonly status: number; readonly html: string }>;

/**
 * Signs an admin in at the console, as a browser without scripts does.
 * @throws Error when the console does not let them in
 */
export async function openConsole(
  { url, portal }: TestPortal,
  admin: AdminRecord,
  password = TEST_PASSWORD,
): Promise<OpenConsolePage> {
  const { path } = portal.config.console;
  const start = `${url}/${path.replace(/^\/+/, '')}`;
  const cookies = new Map<string, string>();
  const send = async (address: string, init: RequestInit = {}) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const answer = await fetch(address, { redirect: 'manual', ...init, headers: { accept: 'text/html', cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split(/=(.*)/s);
      cookies.set(name, value);
    }
    return answer;
  };
  const form = await (await send(`${start}/login`)).text();
  const token = /name="_csrf" value="([^"]*)"/.exec(form)?.[1] ?? '';
  const body = new URLSearchParams({ _csrf: token, email: admin.email, password });
  const { status } = await send(`${start}/login`, { method: 'POST', body });
  if (status !== 303 && status !== 302) throw new Error(`the console answered ${admin.email} with ${status}`);
  return async (page) => {
    const answer = await send(`${start}${page}`);
    return { status: answer.status, html: await answer.text() };
  };
}
