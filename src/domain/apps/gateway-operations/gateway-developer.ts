import { defineRecord, fieldOf } from '../../../database/index.js';

/** The developer at the gateway that belongs to an account. */
export const gatewayDeveloperRecord = defineRecord({
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
