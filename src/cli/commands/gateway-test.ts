import type { GatewayCapabilities, GatewayDriver } from '../../gateway/index.js';
import type { Portal } from '../../portal.js';
import type { CheckResult, GatewaySubject } from '../../gateway/contract-suite/index.js';
import { defineCommand } from '../command.js';
import { CommandFailedError, EXIT, UsageError } from '../errors.js';
import { withPortal } from '../open-portal.js';
import type { Ui } from '../ui.js';

const MARKS = { passed: '✓', failed: '✗', skipped: '–' } as const;

export const gatewayTest = defineCommand({
  name: 'gateway:test',
  summary: 'try what the configured gateway can do',
  description:
    'Prints what the configured gateway can do, and runs the contract of gateway drivers against it: developers, apps ' +
    'and keys are created, opened, closed and removed again, all with addresses at portal-test.example; nothing else is ' +
    'touched. With --door every key is tried at the gateway itself: created, it opens; revoked, it does not. The local ' +
    'gateway needs no door. Exits with 1 when a promise is not kept.',
  example: [
    'portal gateway:test',
    "portal gateway:test --products payments accounts --door 'https://api.example.com/{product}' --patience 200",
  ],
  reports: true,
  options: {
    products: {
      type: 'list',
      default: [],
      description: 'two products, as the gateway calls them, that keys get without approval; its first two by default',
      placeholder: 'names',
    },
    door: { type: 'text', description: 'URL that answers 2xx to a key for {product}', placeholder: 'url' },
    doorHeader: {
      type: 'text',
      default: 'x-api-key: {key}',
      description: 'header that carries {key} or {secret} there',
      placeholder: 'header',
    },
    patience: { type: 'integer', default: 0, description: 'seconds until a change arrives at the door' },
    yes: { type: 'flag', description: 'also in production, where people are created for a moment' },
  },
  run: ({ cwd, ui, json, options }) =>
    withPortal({ cwd, ui }, async (portal) => {
      if (portal.config.app.env === 'production' && !options.yes) {
        throw new UsageError('gateway:test creates people and keys for a moment; in production it needs --yes.');
      }
      const { capabilityMeanings, runGatewayContract } = await import('../../gateway/contract-suite/index.js');
      const driver = await portal.gateway.open();
      if (!json) showCapabilities(driver, capabilityMeanings, ui);
      const subject: GatewaySubject = {
        driver,
        products: await twoProducts(driver, options.products),
        opens: options.door === undefined ? probeVerifier(portal, driver) : probeUrl(options.door, options.doorHeader),
        patience: options.patience * 1000,
        now: () => portal.services.clock.now(),
      };
      const results = await runGatewayContract(subject, (result) => !json && showResult(result, ui));
      return report(portal, driver, results, { ui, json });
    }),
});

async function twoProducts(driver: GatewayDriver, given: readonly string[]): Promise<[string, string]> {
  const names = given.length > 0 ? given : (await driver.products.list()).map(({ name }) => name);
  const [one, two] = names;
  if (one !== undefined && two !== undefined && one !== two) return [one, two];
  throw new CommandFailedError(
    'The contract needs two products of the gateway.',
    'create them, or name two: --products a b',
  );
}

function showCapabilities(
  { name, capabilities }: GatewayDriver,
  meanings: Readonly<Record<keyof GatewayCapabilities, string>>,
  ui: Ui,
): void {
  ui.heading(`What ${name} can do`);
  const rows = (Object.keys(meanings) as (keyof GatewayCapabilities)[]).map((capability) => {
    const value = capabilities[capability] ?? false;
    return [capability, typeof value === 'boolean' ? (value ? 'yes' : 'no') : value, meanings[capability]];
  });
  ui.table([['capability', '', 'meaning'], ...rows]);
  ui.line();
  ui.heading('What it promises');
}

function showResult({ name, outcome, reason }: CheckResult, ui: Ui): void {
  ui.line(`${MARKS[outcome]} ${name}${reason === undefined ? '' : ` (${reason})`}`);
}

function report(
  { config }: Portal,
  { name, capabilities }: GatewayDriver,
  results: readonly CheckResult[],
  { ui, json }: { ui: Ui; json: boolean },
): number {
  const count = (outcome: CheckResult['outcome']) => results.filter((result) => result.outcome === outcome).length;
  const failed = count('failed');
  if (json) ui.json({ ok: failed === 0, driver: name, capabilities, checks: results });
  else if (failed > 0) ui.error(`${failed} of ${results.length} promises are not kept by ${config.gateway.driver}.`);
  else ui.success(`${count('passed')} promises are kept, ${count('skipped')} could not be tried.`);
  return failed === 0 ? EXIT.ok : EXIT.failed;
}

type KeyProbe = NonNullable<GatewaySubject['opens']>;

const TIMEOUT_MS = 5_000;

/**
 * Tries keys against a URL of the gateway.
 * @param url with `{product}` in place of the product
 * @param header `name: value` with `{key}` and, if the gateway needs it, `{secret}`
 */
function probeUrl(url: string, header: string): KeyProbe {
  const [name = '', ...rest] = header.split(':');
  const value = rest.join(':').trim();
  if (!URL.canParse(url.replaceAll('{product}', 'x')) || name.trim() === '' || !value.includes('{key}')) {
    throw new UsageError('--door takes a URL with {product} in it, --door-header a header with {key} in it.');
  }
  return async ({ consumerKey, consumerSecret }, product) => {
    const response = await fetch(url.replaceAll('{product}', encodeURIComponent(product)), {
      headers: { [name.trim()]: value.replaceAll('{key}', consumerKey).replaceAll('{secret}', consumerSecret) },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'manual',
    });
    await response.body?.cancel();
    return response.ok;
  };
}

/** Asks the portal as a proxy would, when the portal itself verifies keys. */
function probeVerifier({ services }: Portal, { verifier }: GatewayDriver): KeyProbe | undefined {
  if (verifier === undefined) return undefined;
  return async ({ consumerKey }, product) => {
    const slugs = await services.catalog.products.slugsAtGateway();
    return (await verifier.verify(consumerKey, slugs.get(product) ?? '')).allowed;
  };
}
