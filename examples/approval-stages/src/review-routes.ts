import { ConflictError, defineRoute, Joi, type PortalRoute } from 'portalkit';
import type { Review, Reviews, Stage } from './reviews.js';

const reviewReply = Joi.object({ app_id: Joi.number().required(), stage: Joi.string().required() }).label('Review');
const present = ({ appId, stage }: Review) => ({ app_id: appId, stage });
const stages = ['legal', 'business', 'cleared'] as const;
const common = { context: 'admin', tag: 'Reviews' } as const;

export function reviewRoutes(reviews: Reviews): PortalRoute[] {
  return [
    defineRoute({
      ...common,
      method: 'get',
      path: '/reviews',
      policy: ['view', 'apps'],
      operation: 'listReviews',
      summary: 'List the apps of a stage, the oldest first',
      query: Joi.object<{ stage: Stage }>({ stage: Joi.valid(...stages).default('legal') }),
      reply: { 200: Joi.array().items(reviewReply).label('Reviews') },
      handle: async ({ query }) => (await reviews.waitingFor(query.stage)).map(present),
    }),
    defineRoute({
      ...common,
      method: 'post',
      path: '/reviews/:app/clear',
      policy: ['update', 'apps'],
      operation: 'clearReview',
      summary: 'Take an app to the next stage',
      params: Joi.object<{ app: number }>({ app: Joi.number().integer().positive().required() }),
      body: Joi.object<{ stage: Stage }>({ stage: Joi.valid('legal', 'business').required() }).label('Clearance'),
      reply: { 200: reviewReply },
      find: ({ params }) => reviews.find(params.app),
      handle: async ({ found, body, actor }) => {
        // The admin says what they looked at: somebody else may have been quicker.
        if (found.stage !== body.stage) throw new ConflictError({ errors: { stage: [`It is at ${found.stage}.`] } });
        return present(await reviews.clear(found, actor.id));
      },
    }),
  ];
}
