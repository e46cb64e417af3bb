import { adminResources, consolePages, ResourceRegistry, WaitingCount } from '../../src/console/index.js';
import { Operations } from '../../src/http/index.js';
import type { Page } from '../../src/theme/index.js';
import type { TestPortal } from './test-portal.js';

/** The pages of a portal's console behind its sign-in, as they are declared. */
export function declaredPages({ portal, clock }: TestPortal): readonly Page[] {
  const operations = new Operations(portal.routes, {} as never);
  const registry = new ResourceRegistry(adminResources, operations);
  const waiting = new WaitingCount(operations, clock);
  return consolePages({ operations, registry, waiting, translated: ['ar'], say: (name) => Promise.resolve(name) });
}

/** The operations that a page runs. */
export function operationsOfPage({ needs = [], runs = [] }: Page): readonly string[] {
  return [...needs, ...runs];
}
