import { parseKey } from '../config/index.js';
import { deriveKey } from '../core/index.js';
import type { DomainBase } from '../composition/base.js';
import { accountPages } from '../composition/mail.js';
import type { PortalParts } from './portal-parts.js';

/** The parts of a portal, once its services exist. */
export function portalParts(
  base: DomainBase,
  { services, limits, mail }: Pick<PortalParts, 'services' | 'limits' | 'mail'>,
): PortalParts {
  const { config, events, database, lists, hasher, encrypter, outbound, background, clock, logger } = base;
  const { key, previousKeys } = config.app;
  return {
    ...{ config, services, events, database, lists, limits, mail },
    ...{ hasher, encrypter, outbound, background, clock, logger },
    address: {
      ...accountPages(base),
      base: () => base.address.base(),
      page: (path) => `${base.address.base()}/${config.theme.routePrefix}${path}`,
    },
    keys: (purpose) => [
      deriveKey(parseKey(key), purpose),
      ...previousKeys.map((previous) => deriveKey(parseKey(previous), purpose)),
    ],
  };
}
