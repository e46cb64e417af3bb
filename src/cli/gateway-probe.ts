import type { GatewayDriver } from '../gateway/index.js';
import type { Portal } from '../portal.js';
import type { GatewaySubject } from '../gateway/contract-suite/index.js';
import { UsageError } from './errors.js';

type KeyProbe = NonNullable<GatewaySubject['opens']>;

const TIMEOUT_MS = 5_000;

/**
 * Tries keys against a URL of the gateway.
 * @param url with `{product}` in place of the product
 * @param header `name: value` with `{key}` and, if the gateway needs it, `{secret}`
 */
export function probeUrl(url: string, header: string): KeyProbe {
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
export function probeVerifier({ services }: Portal, { verifier }: GatewayDriver): KeyProbe | undefined {
  if (verifier === undefined) return undefined;
  return async ({ consumerKey }, product) => {
    const slugs = await services.catalog.products.slugsAtGateway();
    return (await verifier.verify(consumerKey, slugs.get(product) ?? '')).allowed;
  };
}
