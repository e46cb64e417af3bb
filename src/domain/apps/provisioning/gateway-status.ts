import type { GatewayDriver, GatewayStatus } from '../../../gateway/index.js';
import type { ApprovalStatus } from '../app/approval.js';

/** What is sent for a state of ours: a gateway that knows no waiting keeps shut what waits. */
export function gatewayStatus(
  { capabilities }: Pick<GatewayDriver, 'capabilities'>,
  status: ApprovalStatus,
): GatewayStatus {
  return status === 'pending' && !capabilities.pending ? 'revoked' : status;
}
