import { defineRecord, fieldOf } from '../../../database/index.js';

/** Links an account to its developer at the gateway. */
export const gatewayLinkRecord = defineRecord({
  name: 'GatewayLink',
  table: 'portal_gateway_links',
  alias: 'l',
  fields: {
    userId: fieldOf.reference().key(),
    gatewayId: fieldOf.text(255).unique(),
    /** The e-mail at the gateway. */
    email: fieldOf.text(254),
    createdAt: fieldOf.time(),
  },
});
