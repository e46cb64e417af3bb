import { defineRecord, fieldOf } from '../../../database/index.js';

/** Which developer of the gateway an account is. */
export const gatewayLinkRecord = defineRecord({
  name: 'GatewayLink',
  table: 'portal_gateway_links',
  alias: 'l',
  fields: {
    userId: fieldOf.reference().key(),
    gatewayId: fieldOf.text(255).unique(),
    /** As the gateway knows it. */
    email: fieldOf.text(254),
    createdAt: fieldOf.time(),
  },
});
