import { defineRecord, fieldOf } from '../../database/index.js';
import type { GatewayDeveloperStatus, GatewayStatus } from '../contract.js';

const { id, reference, text, longText, time } = fieldOf;

export const localDeveloperRecord = defineRecord({
  name: 'GatewayDeveloper',
  table: 'portal_gateway_developers',
  alias: 'd',
  fields: { id: text(64).key(), email: text(254), status: text<GatewayDeveloperStatus>(16) },
});

export const localAppRecord = defineRecord({
  name: 'GatewayApp',
  table: 'portal_gateway_apps',
  alias: 'a',
  fields: {
    ...{ id: id(), developerId: text(64), portalId: text(64), name: text(100), status: text<GatewayStatus>(16) },
  },
});

export const localKeyRecord = defineRecord({
  name: 'GatewayKey',
  table: 'portal_gateway_keys',
  alias: 'k',
  fields: {
    id: id(),
    appId: reference(),
    portalId: text(64),
    keyHash: text(64).hidden(),
    encryptedKey: longText().named('key_sealed').hidden(),
    secretHash: text(64).hidden(),
    encryptedSecret: longText().named('secret_sealed').hidden(),
    status: text<GatewayStatus>(16),
    issuedAt: time(),
    expiresAt: time().nullable(),
    lastUsedAt: time().nullable(),
  },
});

export const localKeyProductRecord = defineRecord({
  name: 'GatewayKeyProduct',
  table: 'portal_gateway_key_products',
  alias: 'g',
  fields: {
    ...{ keyId: reference().key(), product: text(100).key(), status: text<GatewayStatus>(16) },
    plan: text(64).nullable(),
  },
});

/** What the gateway reads of the portal's products. */
export const portalProductRecord = defineRecord({
  name: 'GatewayProduct',
  table: 'portal_products',
  alias: 'p',
  fields: {
    name: text(100).key().named('gateway_product_id'),
    displayName: text(200).named('name'),
    description: text(500).named('short_description'),
  },
});
