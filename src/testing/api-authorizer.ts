import assert from 'node:assert/strict';
import { ForbiddenError } from '../core/index.js';
import type { ContractCheck } from './contract.js';
import { createAdmin } from './factories.js';
import type { TestPortal } from './test-portal.js';

const ABILITIES = ['view', 'create', 'update', 'delete'];
const RESOURCES = [
  ...['users', 'apps', 'products', 'categories', 'audiences', 'menus', 'settings'],
  ...['admins', 'roles', 'permissions', 'activities', 'mails', 'jobs'],
];
/** Names of no rule, among them properties that every JavaScript object inherits. */
const UNKNOWN = ['', 'unheard-of', '__proto__', 'constructor', 'toString'];

/**
 * What the authorizer promises, a host's own included: default deny, and the same refusal for every reason.
 * @param test a portal that runs with it
 */
export function apiAuthorizerContract(test: () => TestPortal): ContractCheck[] {
  const ask = (id: number, ability: string, subject: string) =>
    test().portal.services.authorizer.authorize({ id }, ability, subject);
  const refuses = (id: number, ability: string, subject: string) =>
    assert.rejects(ask(id, ability, subject), ForbiddenError, `${ability} ${subject}`);
  return [
    {
      name: 'refuses everything to an admin without a role, as ForbiddenError',
      run: async () => {
        const { id } = await createAdmin(test());
        for (const subject of RESOURCES) for (const ability of ABILITIES) await refuses(id, ability, subject);
      },
    },
    {
      name: 'refuses abilities and resources that it does not know',
      run: async () => {
        const { id } = await createAdmin(test());
        for (const name of UNKNOWN) {
          await refuses(id, 'view', name);
          await refuses(id, name, 'users');
        }
      },
    },
    {
      name: 'refuses an admin who does not exist',
      run: () => refuses(2 ** 31 - 1, 'view', 'users'),
    },
    {
      name: 'lets the super administrator pass everywhere, so that nobody is locked out',
      run: async () => {
        const { id } = await createAdmin(test(), { roles: ['super_admin'] });
        for (const subject of RESOURCES) for (const ability of ABILITIES) await ask(id, ability, subject);
      },
    },
    {
      name: 'answers the same when asked again',
      run: async () => {
        const { id } = await createAdmin(test());
        await refuses(id, 'view', 'users');
        await refuses(id, 'view', 'users');
      },
    },
  ];
}
