import type { TestPortal } from './test-portal.js';

/** A verified endpoint with a message that was given up. @param ownerId null: of the operator */
export async function createWebhook(
  { portal, clock }: TestPortal,
  url: string,
  ownerId: number | null = null,
): Promise<{ id: number; delivery: number }> {
  const { database, services } = portal;
  const { endpoint } = await services.webhooks.endpoints.create({ url, events: ['app.*'] }, ownerId, null);
  await database.execute("UPDATE portal_webhook_endpoints SET status = 'active' WHERE id = ?", [endpoint.id]);
  await services.webhooks.endpoints.test({ ...endpoint, status: 'active' }, 'app.approved');
  const failed = "UPDATE portal_webhook_deliveries SET state = 'failed', due_at = ? WHERE endpoint_id = ?";
  await database.execute(failed, [clock.now(), endpoint.id]);
  const [row] = await database.select<{ id: number }>(
    'SELECT id FROM portal_webhook_deliveries WHERE endpoint_id = ?',
    [endpoint.id],
  );
  return { id: endpoint.id, delivery: row?.id ?? 0 };
}
