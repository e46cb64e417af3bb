import Joi from 'joi';
import { ServiceUnavailableError } from '../core/index.js';
import { defineRoute } from './define-route.js';

const probe = { context: 'consumer', auth: 'none', anyHost: true, withoutApi: true, tag: 'Health' } as const;
const well = Joi.object({ status: Joi.string().valid('ok').required() }).label('Health');
const readiness = Joi.object({ status: Joi.string().valid('ready').required() }).label('Readiness');

export const healthRoutes = [
  defineRoute({
    ...probe,
    method: 'get',
    path: '/health',
    operation: 'getHealth',
    summary: 'Tell that the portal answers',
    reply: { 200: well },
    handle: () => ({ status: 'ok' }),
  }),
  defineRoute({
    ...probe,
    method: 'get',
    path: '/health/live',
    operation: 'getLiveness',
    summary: 'Tell that the process lives, whatever it depends on',
    reply: { 200: well },
    handle: () => ({ status: 'ok' }),
  }),
  defineRoute({
    ...probe,
    method: 'get',
    path: '/health/ready',
    operation: 'getReadiness',
    summary: 'Tell whether this replica should get traffic',
    description: 'False while the database or Redis is away, migrations are pending or the process is shutting down.',
    reply: { 200: readiness },
    handle: async ({ services }) => {
      const { ready } = await services.readiness.read();
      if (!ready) throw new ServiceUnavailableError(1);
      return { status: 'ready' };
    },
  }),
];
