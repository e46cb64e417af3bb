import { findService, mustHaveServices, requireService, type Service } from './binaries.js';

/**
 * `describe` for tests that need a service. Without it they are skipped on a developer's machine (the reporter names the
 * service at the end of the run) and the file fails in CI. The body must not start anything outside `beforeAll`.
 */
export function describeWith(service: Service, title: string, body: () => void): void {
  const named = `${title} [needs ${service}]`;
  if (findService(service) !== undefined) return describe(named, body);
  if (mustHaveServices()) requireService(service);
  describe.skip(named, body);
}
