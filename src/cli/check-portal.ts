import { existsSync } from 'node:fs';
import type { GatewayDriver } from '../gateway/index.js';
import { PortalError } from '../core/errors.js';
import type { Portal } from '../portal.js';
import { describeDatabase, explainDatabaseFailure } from './database-failure.js';
import { CommandFailedError } from './errors.js';
import { checkKeys } from './check-keys.js';
import { sqliteFile } from './check-machine.js';
import { checkClock, checkMail } from './check-surroundings.js';
import { failure, pass, warning, type Finding } from './doctor-finding.js';

/** Keeps a finding on one line. */
const MOST_NAMES = 5;

/** All checks that need an assembled portal; those that need the database run only when it answers. */
export async function checkPortal(portal: Portal, root: string): Promise<Finding[]> {
  const database = await checkDatabase(portal, root);
  const isThere = database.status === 'ok';
  const migrations = isThere ? await checkMigrations(portal) : [];
  const isMigrated = isThere && migrations.every(({ status }) => status !== 'failure');
  return [
    database,
    ...(isThere ? [...(await checkJournal(portal)), ...(await checkClock(portal))] : []),
    ...migrations,
    ...(isMigrated ? await checkContent(portal) : []),
    ...(await checkRedis(portal)),
    ...(await checkMail(portal)),
    checkVerify(portal),
    ...(isMigrated ? await checkNamedProducts(portal) : []),
  ];
}

async function checkContent(portal: Portal): Promise<Finding[]> {
  const own = [
    await checkAdmins(portal),
    await checkActivityLog(portal),
    await checkKeys(portal),
    await checkWebhooks(portal),
    await checkSearch(portal),
    await checkGuides(portal),
  ];
  return [...own, ...(await checkGateway(portal))];
}

async function checkDatabase({ database, config }: Portal, root: string): Promise<Finding> {
  const where = describeDatabase(config.database.url);
  // Opening a missing file would create it, and this command changes nothing.
  if (database.dialect === 'sqlite' && !existsSync(sqliteFile(root, config.database.url))) {
    return failure('database', `${where} does not exist yet`, 'portal migrate');
  }
  try {
    await database.ping();
    return pass('database', `${where} answers`);
  } catch (error) {
    const explained = explainDatabaseFailure(error, config.database.url);
    if (explained instanceof CommandFailedError) return failure('database', explained.message, explained.fix);
    return failure('database', `${where}: ${explained instanceof Error ? explained.message : String(explained)}`);
  }
}

// R33: without the write-ahead log, readers wait for writers.
async function checkJournal({ database }: Portal): Promise<Finding[]> {
  if (database.dialect !== 'sqlite') return [];
  const [row] = await database.select<{ journal_mode: string }>('PRAGMA journal_mode');
  if (row?.journal_mode === 'wal') return [pass('journal', 'write-ahead log')];
  const message = `SQLite keeps the journal mode ${row?.journal_mode}, in which readers wait for writers`;
  return [warning('journal', message, 'put the database on a local disk that supports shared memory')];
}

async function checkMigrations({ migrator }: Portal): Promise<Finding[]> {
  const statuses = await migrator.status();
  const pending = statuses.filter(({ runAt }) => runAt === null).length;
  const missing = statuses.filter((status) => status.missing).map(({ name }) => name);
  const state =
    pending === 0
      ? pass('migrations', `all ${statuses.length} have run`)
      : failure('migrations', `${pending} of ${statuses.length} have not run`, 'portal migrate');
  if (missing.length === 0) return [state];
  const message = `${missing.join(', ')} ran once, but the files are gone`;
  return [state, warning('migrations', message, 'bring the files back, or migrate:rollback cannot undo them')];
}

async function checkAdmins({ services }: Portal): Promise<Finding> {
  const roles = await services.rbac.roles();
  if (roles.length === 0) return warning('admins', 'there are no roles yet', 'portal rbac:seed');
  const admins = await services.accounts.admins.count('active');
  if (admins > 0) return pass('admins', `${admins} can sign in`);
  return warning('admins', 'nobody can sign in to the admin part', 'portal admin:create');
}

// S73: the chain only detects tampering afterwards; the triggers prevent it.
async function checkActivityLog({ services }: Portal): Promise<Finding> {
  if (await services.activities.guard.isInPlace()) return pass('activity-log', 'append-only');
  const message = 'nothing but the chain of hashes protects the log: its triggers are missing';
  const fix =
    'let the account of database.url create triggers (GRANT TRIGGER; with binary logging on MySQL also ' +
    'log_bin_trust_function_creators), then portal audit:verify --protect';
  return warning('activity-log', message, fix);
}

async function checkGuides({ services }: Portal): Promise<Finding> {
  const { guides, problems } = await services.content.check.run(true);
  const [first] = problems;
  if (!first) return pass('content', guides === 0 ? 'no guides in files' : `${guides} guides in files`);
  const message = `${problems.length === 1 ? '1 problem' : `${problems.length} problems`} in files of guides: ${first.file}:${first.line}: ${first.message}`;
  return warning('content', message, 'portal content:check names all of them');
}

async function checkWebhooks({ services }: Portal): Promise<Finding> {
  const { endpoints, dispatcher } = services.webhooks;
  const overdue = await dispatcher.countOverdue();
  if (overdue > 0) {
    const message = `${overdue} ${overdue === 1 ? 'message' : 'messages'} should have been sent more than ten minutes ago`;
    const fix = 'see whether a replica with jobs runs, and the endpoints under "Webhooks" in the console';
    return warning('webhooks', message, fix);
  }
  const { active, failing, disabled } = await endpoints.state();
  if (failing + disabled > 0) {
    const message = `${failing === 1 ? '1 endpoint of the operator fails' : `${failing} endpoints of the operator fail`}, ${disabled} were turned off`;
    const fix = 'mend their receivers, then recover what they missed under "Webhooks" in the console';
    return warning('webhooks', message, fix);
  }
  if (active === 0) return pass('webhooks', 'no endpoints of the operator');
  const well = active === 1 ? '1 endpoint of the operator does' : `${active} endpoints of the operator do`;
  return pass('webhooks', `${well} well`);
}

/** Longer, and no job indexes. */
const LATE_S = 600;

async function checkSearch({ services, config }: Portal): Promise<Finding> {
  if (!config.search.enabled) return pass('search', 'off');
  const { records, since } = await services.search.backlog();
  const isLate = since !== null && services.clock.now().getTime() - since.getTime() > LATE_S * 1_000;
  const missing = await services.search.index.countMissing();
  if (!isLate && missing === 0) return pass('search', 'the index is up to date');
  const message = isLate
    ? `${records} ${records === 1 ? 'record waits' : 'records wait'} to be indexed, the first for more than ten minutes`
    : `${missing} ${missing === 1 ? 'record was' : 'records were'} never indexed, or in an older way`;
  return warning('search', message, 'see whether a replica with jobs runs, or run portal search:rebuild');
}

// Runs after the migration check because the local driver keeps its keys in the database.
async function checkGateway(portal: Portal): Promise<Finding[]> {
  const { driver: name } = portal.config.gateway;
  try {
    const driver = await portal.gateway.open();
    await driver.check();
    return [pass('gateway', `${name} answers`), ...(await checkGatewayProducts(portal, driver))];
  } catch (error) {
    const reason = error instanceof PortalError ? (error.detail ?? error.message) : String(error);
    const fix = `compare the settings of gateway.${name} with those of the gateway`;
    return [failure('gateway', `${name}: ${reason}`, fix)];
  }
}

// No key can be issued for a product that the gateway does not know.
async function checkGatewayProducts({ services }: Portal, { products }: GatewayDriver): Promise<Finding[]> {
  const known = new Set((await products.list()).map(({ name }) => name));
  const ours = await services.catalog.products.slugsAtGateway();
  const unknown = [...ours.keys()].filter((name) => !known.has(name));
  if (unknown.length === 0) return [];
  const message = `the gateway has no ${unknown.slice(0, MOST_NAMES).join(', ')}${unknown.length > MOST_NAMES ? ', …' : ''}`;
  return [warning('gateway-products', message, 'create them there, or change gateway_product_id of these products')];
}

// R10: sessions must not be evicted.
async function checkRedis({ redis, config }: Portal): Promise<Finding[]> {
  if (redis === null) return [];
  const { host } = new URL(config.redis.url);
  try {
    const policy = await redis.evictionPolicy();
    if (policy === null || policy === 'noeviction') return [pass('redis', `${host} answers`)];
    const message = `${host} drops keys when it is full (maxmemory-policy ${policy}), sessions too`;
    return [warning('redis', message, 'set its maxmemory-policy to noeviction')];
  } catch (error) {
    const fix = 'start it, or correct REDIS_URL';
    return [failure('redis', `${host}: ${reasonOf(error)}`, fix)];
  }
}

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: NodeJS.ErrnoException };
  return cause?.code ?? cause?.message ?? String(error);
}

/** If a proxy names no product, calls with a key for several products cannot be limited: the product is unknown. */
async function checkNamedProducts({ database, config: { verify } }: Portal): Promise<Finding[]> {
  if (!verify.enabled) return [];
  const [row] = await database.select<{ calls: number | null }>(
    `SELECT SUM(u.calls) AS calls FROM portal_usage_hours u WHERE u.product_id = 0 AND u.credential_id > 0
       AND u.outcome = 'allowed' AND u.credential_id IN (
         SELECT g.credential_id FROM portal_credential_products g WHERE g.plan_version_id IS NOT NULL)`,
  );
  const calls = Number(row?.calls ?? 0);
  if (calls === 0) return [];
  const message = `${calls} calls with keys of several products were held against no plan: a proxy asks for any product`;
  return [warning('verify', message, 'have each proxy name the product, as in /gateway/verify/payments')];
}

function checkVerify({ config: { verify } }: Portal): Finding {
  if (!verify.enabled) return pass('verify', 'switched off');
  if (verify.secret !== '') return pass('verify', 'proxies must send the secret');
  const message = 'verify.secret is empty: only proxies on this machine are answered';
  return warning(
    'verify',
    message,
    'set VERIFY_SECRET to the output of `openssl rand -base64 48` for proxies elsewhere',
  );
}
