import type { Page } from '../../src/theme/index.js';
import { declaredPages, operationsOfPage } from '../support/console-pages.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

/** What no page runs, with the reason. */
const NO_PAGE: Readonly<Record<string, string>> = {
  adminLogin: 'signing in is the page of the theme, with a session instead of tokens',
  adminRefresh: 'a session has no tokens to renew',
  adminLogout: 'signing out is the page of the theme',
  reauthenticateAdmin: 'a form that asks for the password again does it',
  changeAdminPassword: 'the page of the account changes it so that the session lives on',
  listMenuItems: 'showMenu has the same tree',
  setManagedRecords: 'portal apply says what it manages; a person at the console manages nothing by files',
  applyManagedChanges: 'portal apply sends what files say; a person at the console changes record by record',
  listWebhookEvents: 'the form that sends a test to an endpoint offers them',
};

/** Pages that run no operation: the jobs that an admin started. They are that admin's alone, whatever the permissions. */
const OWN_WORK = /^\/batches(\/|$)/;

let test: TestPortal;
let pages: readonly Page[];
let operations: readonly string[];
beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  pages = declaredPages(test);
  operations = test.portal.routes.filter(({ context }) => context === 'admin').map(({ operation }) => operation);
});
afterAll(() => test.stop());

describe('the pages of the console', () => {
  it('run every operation of the admin API', () => {
    const run = new Set(pages.flatMap(operationsOfPage));
    // The apps of a team are run as those of a developer, by the id of its account.
    const isRun = (operation: string) => run.has(operation) || run.has(operation.replace('AnyTeam', 'User'));
    const without = operations.filter((operation) => !isRun(operation));
    expect(without.filter((operation) => !(operation in NO_PAGE))).toEqual([]);
  });

  it('have no exception that is none any more', () => {
    const run = new Set(pages.flatMap(operationsOfPage));
    const stale = Object.keys(NO_PAGE).filter((operation) => run.has(operation) || !operations.includes(operation));
    expect(stale).toEqual([]);
  });

  it('say which operations they run, and name those that there are', () => {
    const silent = pages.filter((page) => operationsOfPage(page).length === 0 && !OWN_WORK.test(page.path));
    expect(silent.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    const unknown = pages.flatMap(operationsOfPage).filter((operation) => !operations.includes(operation));
    expect([...new Set(unknown)]).toEqual([]);
  });
});
