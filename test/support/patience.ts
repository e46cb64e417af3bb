/**
 * Milliseconds that portals and drivers of tests wait for others: far more than people would, so that a busy machine fails no
 * test. A test whose point is such a limit sets its own; the tight ones are held by `test/chaos` and `npm run test:timing`.
 */
export const PATIENCE = {
  /** Of MariaDB. */
  statement: 60_000,
  connection: 60_000,
  /** The most that `redis.timeout` takes. */
  redis: 5_000,
  /** The most that `gateway.apigee.timeout` takes. */
  apigee: 7_000,
  /** Until a program that a test starts, or a page in its browser, is there. */
  start: 120_000,
};
