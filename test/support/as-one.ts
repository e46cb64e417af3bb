import type { Portal } from '../../src/portal.js';

/** Whether the suite runs on two replicas with a Redis: `PORTAL_TEST_REPLICAS=redis`. */
export const onTwoReplicas = (): boolean => process.env.PORTAL_TEST_REPLICAS === 'redis';

/**
 * Two replicas behind a round-robin load balancer. Event listeners receive the events of both; services are those of the
 * first.
 */
export function asOne(one: Portal, two: Portal): { portal: Portal; pin(isPinned: boolean): void } {
  let turn = 0;
  let isPinnedToOne = false;
  const events = {
    on: (...given: Parameters<typeof one.events.on>) => [one, two].forEach((portal) => portal.events.on(...given)),
    within: (...given: Parameters<typeof one.events.within>) =>
      [one, two].forEach((portal) => portal.events.within(...given)),
    emit: one.events.emit.bind(one.events),
  };
  const portal: Portal = {
    ...one,
    events: events as unknown as Portal['events'],
    handler: (request, response) => {
      turn += 1;
      (turn % 2 === 0 && !isPinnedToOne ? two : one).handler(request, response);
    },
    background: {
      flush: async () => {
        await two.background.flush();
        await one.background.flush();
      },
    },
    close: async () => {
      await two.close();
      await one.close();
    },
  };
  return { portal, pin: (isPinned) => (isPinnedToOne = isPinned) };
}
