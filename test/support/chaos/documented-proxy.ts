import { readFileSync } from 'node:fs';
import { startHaproxy, startNginx } from '../services.js';
import type { PrivateService } from '../private-process.js';

export type BalancerName = 'nginx' | 'haproxy';

/** Placeholders of the replicas in docs/production.md. */
const REPLICAS = ['10.0.0.11:3000', '10.0.0.12:3000'];

/**
 * A load balancer configured as in docs/production.md, except for addresses and TLS, so that the tests cover what people
 * copy.
 */
export function startDocumented(name: BalancerName, ports: readonly number[]): Promise<PrivateService> {
  const text = REPLICAS.reduce(
    (all, address, index) => all.replaceAll(address, `127.0.0.1:${ports[index]}`),
    documented(name),
  );
  return name === 'nginx'
    ? startNginx(({ port }) => text.replace('listen 443 ssl', `listen 127.0.0.1:${port}`).replace(/ *ssl_.*\n/g, ''))
    : startHaproxy(({ port }) => text.replace(/bind :443 .*/, `bind 127.0.0.1:${port}`));
}

/** The first code block of this language. */
function documented(name: BalancerName): string {
  const page = readFileSync('docs/production.md', 'utf8');
  const block = new RegExp(`^\`\`\`${name}\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1];
  if (block === undefined) throw new Error(`docs/production.md has no configuration of ${name}`);
  for (const address of REPLICAS)
    if (!block.includes(address)) throw new Error(`that of ${name} does not name ${address}`);
  return block;
}
