import type { Fact, Ledger } from './ledger.js';
import { call } from './writer.js';

/** Period in which a refresh may be retried, less the time that a request may take. */
const GRACE_MS = 7_000;

/** The promises to a developer that a restarted portal does not keep. */
export async function brokenPromises(url: string, ledger: Ledger, cutOffAt: number): Promise<string[]> {
  const broken: string[] = [];
  const check = (what: string, fact: Fact<unknown>, found: unknown): void => {
    if (!fact.possible.includes(found)) broken.push(`${ledger.email}: ${what} is ${found}, not ${fact.possible}`);
  };
  await checkRefresh(url, ledger, cutOffAt, broken);
  const token = await signIn(url, ledger);
  check('the account', ledger.exists, token !== null);
  for (const { key, app, id, isOpen } of ledger.keys) check(`key ${id} of ${app}`, isOpen, await opens(url, key));
  if (token === null) return broken;
  const { data: me } = await call(`${url}/api/v1/me`, 'GET', undefined, token);
  check('the name', ledger.firstName, me.first_name);
  const { data: apps } = await call(`${url}/api/v1/me/apps?per_page=100`, 'GET', undefined, token);
  const names = (apps as { name: string }[]).map(({ name }) => name);
  for (const [name, exists] of ledger.apps) check(`app ${name}`, exists, names.includes(name));
  return broken;
}

// Comes first: a refresh whose answer was lost can be retried for ten seconds.
async function checkRefresh(url: string, ledger: Ledger, cutOffAt: number, broken: string[]): Promise<void> {
  const isSignedIn = ledger.exists.isCertain && ledger.exists.latest && ledger.refreshToken !== '';
  if (!isSignedIn || (ledger.isRefreshing && performance.now() - cutOffAt > GRACE_MS)) return;
  const body = { refresh_token: ledger.refreshToken };
  const { status } = await call(`${url}/api/v1/auth/refresh`, 'POST', body);
  if (status !== 200) broken.push(`${ledger.email}: the refresh token is answered with ${status}`);
}

/** The access token; null if none of the possible passwords is right. */
async function signIn(url: string, ledger: Ledger): Promise<string | null> {
  for (const password of [...ledger.password.possible].reverse()) {
    const { status, data } = await call(`${url}/api/v1/auth/login`, 'POST', { email: ledger.email, password });
    if (status === 200) return data.access_token;
    if (status !== 401) throw new Error(`the login of ${ledger.email} answered ${status}: ${JSON.stringify(data)}`);
  }
  return null;
}

async function opens(url: string, key: string): Promise<boolean> {
  const response = await fetch(`${url}/gateway/verify`, { headers: { 'x-api-key': key } });
  await response.arrayBuffer();
  if (![200, 401, 403].includes(response.status)) throw new Error(`the check of a key answered ${response.status}`);
  return response.status === 200;
}
