import { userList } from '../../domain/accounts/index.js';
import { paginated } from '../../http/index.js';
import { mapPage } from '../../kernel/index.js';
import { defineRoute } from '../define-route.js';
import { presentUser } from './presenter.js';
import { userListReply, userParams, userReply } from './schema.js';

const users = { context: 'admin', tag: 'Users', policy: ['view', 'users'] } as const;

export const userRoutes = [
  defineRoute({
    ...users,
    method: 'get',
    path: '/users',
    operation: 'listUsers',
    summary: 'List developers',
    description: 'Audiences are always part of the record; `with=audiences` is taken and changes nothing.',
    list: userList.options,
    reply: { 200: userListReply },
    handle: async ({ services, list }) => {
      const page = await services.accounts.users.list(list);
      const audiences = await services.catalog.userAudiences.of(page.items.map(({ id }) => id));
      return paginated(mapPage(page, (user) => presentUser(user, audiences.get(user.id))));
    },
  }),
  defineRoute({
    ...users,
    method: 'get',
    path: '/users/:id',
    operation: 'getUser',
    summary: 'Show a developer',
    params: userParams,
    reply: { 200: userReply },
    find: ({ services, params }) => services.accounts.users.find(params.id),
    handle: async ({ services, found }) => {
      const audiences = await services.catalog.userAudiences.of([found.id]);
      return presentUser(found, audiences.get(found.id));
    },
  }),
];
