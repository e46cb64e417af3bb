import { closest } from '../../core/closest.js';
import type { CheckContext } from './context.js';

/** What a chosen driver, store or transport needs to be reached. */
export function checkBackends(context: CheckContext): void {
  const { config, fault, warn } = context;
  checkDriver(context);
  checkGuards(context);
  if (config.gateway.driver === 'apigee') checkApigee(context);
  checkShared(context);
  if (config.mail.transport === 'smtp' && config.mail.url === '') {
    fault('mail.url', 'is required with mail.transport smtp', 'set it to smtp://user:password@host:587');
  }
  if (config.mail.transport === 'file' && config.app.env === 'production') {
    warn('mail.transport', 'file writes mails to disk and sends none', 'set smtp and mail.url');
  }
}

// What one process keeps to itself the others cannot know.
function checkShared({ config: { session, limits, redis, server }, fault, unsafe }: CheckContext): void {
  for (const [path, store] of [
    ['session.store', session.store],
    ['limits.store', limits.store],
  ] as const) {
    if (store === 'redis' && redis.url === '') {
      fault('redis.url', `is required with ${path} redis`, `set it to redis://host:6379, or use ${path} database`);
    }
    if (store === 'memory' && server.workers !== 1) {
      fault(path, 'must not be memory with more than one worker', 'use redis or database, which all workers share');
    }
  }
  if (session.store === 'memory') {
    unsafe('session.store', 'memory loses every session at a restart', 'use database or redis');
  }
}

function checkDriver({ config, extensions, fault }: CheckContext): void {
  const { driver } = config.gateway;
  const names = ['local', 'apigee', ...Object.keys(extensions.gatewayDrivers ?? {})];
  if (names.includes(driver)) return;
  const near = closest(driver, names);
  const fix = near === undefined ? 'add it to gatewayDrivers in portal.config.ts' : `did you mean ${near}?`;
  fault('gateway.driver', `must be one of ${names.join(', ')}, not "${driver}"`, fix);
}

const SHIPPED_GUARDS = { consumer: 'api', admin: 'admin' } as const;

/** A guard that nobody has would let nobody in, or, worse, mean the default. */
function checkGuards({ config, extensions, fault }: CheckContext): void {
  const own = extensions.guards ?? {};
  for (const context of ['consumer', 'admin'] as const) {
    const name = config.portalApi.guards[context];
    const names = [
      ...new Set([SHIPPED_GUARDS[context], ...Object.keys(own).filter((other) => !isOthers(other, context))]),
    ];
    if (names.includes(name)) {
      if (Object.hasOwn(own, name) && typeof own[name] !== 'function') {
        fault(`portalApi.guards.${context}`, `names guards.${name}, which is no function`, 'give (parts) => a guard');
      }
      continue;
    }
    const near = closest(name, names);
    const fix = near === undefined ? 'add it to guards in portal.config.ts' : `did you mean ${near}?`;
    fault(`portalApi.guards.${context}`, `must be one of ${names.join(', ')}, not "${name}"`, fix);
  }
}

/** Whether the name is that of the other context's guard. */
function isOthers(name: string, context: keyof typeof SHIPPED_GUARDS): boolean {
  return name === SHIPPED_GUARDS[context === 'admin' ? 'consumer' : 'admin'];
}

function checkApigee(context: CheckContext): void {
  const { fault, unsafe } = context;
  const { app, gateway } = context.config;
  const { apigee } = gateway;
  if (apigee.organization === '') {
    fault('gateway.apigee.organization', 'is required with gateway.driver apigee', 'set the name of the organization');
  }
  checkApigeeSignIn(context);
  for (const name of ['endpoint', 'tokenUrl', 'metadataUrl'] as const) {
    const url = apigee[name];
    if (url !== '' && !/^https?:\/\/[^\s/]/i.test(url)) {
      fault(`gateway.apigee.${name}`, 'must be an https URL', 'write it with its scheme');
    } else if (app.env === 'production' && name !== 'metadataUrl' && url.startsWith('http:')) {
      unsafe(`gateway.apigee.${name}`, 'sends credentials over plain http', 'use https');
    }
  }
  if (app.env === 'production' && apigee.token !== '') {
    unsafe('gateway.apigee.token', 'is a fixed token, which ends within the hour', 'use credentialsFile or username');
  }
}

function checkApigeeSignIn({ config: { gateway }, fault }: CheckContext): void {
  const { apigee } = gateway;
  if (apigee.credentials !== '' && !isServiceAccount(apigee.credentials)) {
    const what = 'must be the JSON of a service account with client_email and private_key';
    fault('gateway.apigee.credentials', what, 'paste the whole file, or use gateway.apigee.credentialsFile');
  }
  if (apigee.token !== '') return;
  if (apigee.platform === 'x') {
    if (apigee.credentialsFile !== '' || apigee.credentials !== '' || apigee.metadataUrl !== '') return;
    const what = 'or gateway.apigee.credentials or .metadataUrl is required for platform x';
    fault('gateway.apigee.credentialsFile', what, 'set the path of the service account’s JSON key');
    return;
  }
  if (apigee.refreshToken !== '') {
    if (apigee.tokenUrl !== '') return;
    fault('gateway.apigee.tokenUrl', 'is required with a refresh token', 'set https://login.apigee.com/oauth/token');
    return;
  }
  if (apigee.username === '') fault('gateway.apigee.username', 'is required for platform edge', 'set it');
  if (apigee.password === '') fault('gateway.apigee.password', 'is required for platform edge', 'set it');
}

function isServiceAccount(json: string): boolean {
  try {
    const account: unknown = JSON.parse(json);
    return typeof account === 'object' && account !== null && 'client_email' in account && 'private_key' in account;
  } catch {
    return false;
  }
}
