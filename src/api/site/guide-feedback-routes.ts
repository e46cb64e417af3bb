import Joi from 'joi';
import {
  GUIDE_KINDS,
  guideRemarkList,
  guideVoteList,
  type GuideRemark,
  type GuideVotes,
} from '../../domain/content/index.js';
import { paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute } from '../define-route.js';
import { idReply, timestampReply } from '../fields.js';

const guide = Joi.object({
  id: idReply.required(),
  kind: Joi.string()
    .valid(...GUIDE_KINDS)
    .required()
    .example('guide'),
  slug: Joi.string().required().example('quickstart'),
  name: Joi.string().required().example('Quickstart'),
})
  .required()
  .label('GuideOfFeedback');
const counted = Joi.number().integer().min(0).required();

const votesReply = Joi.array().items(
  Joi.object({
    id: idReply.required(),
    guide,
    helpful: counted.example(41),
    unhelpful: counted.example(3),
    updated_at: timestampReply.required(),
  }).label('GuideVotes'),
);

const remarksReply = Joi.array().items(
  Joi.object({
    id: idReply.required(),
    guide,
    locale: Joi.string().required().description('Of the page that was read.').example('en'),
    is_helpful: Joi.boolean().required().example(false),
    remark: Joi.string().required().description('Plain text.').example('What is the limit of a sandbox key?'),
    created_at: timestampReply.required(),
  }).label('GuideRemark'),
);

const feedback = { context: 'admin', tag: 'Guides of the portal', method: 'get', policy: ['view', 'guides'] } as const;

/** What readers say of guides, without who they are. */
export const guideFeedbackRoutes = [
  defineRoute({
    ...feedback,
    path: '/guide-votes',
    operation: 'listGuideVotes',
    summary: 'List how many readers guides helped',
    description: 'Guides and news that somebody answered for, those that helped least first.',
    list: guideVoteList.options,
    reply: { 200: votesReply },
    handle: async ({ services, list }) =>
      paginated(mapPage(await services.content.feedback.listVotes(list), presentVotes)),
  }),
  defineRoute({
    ...feedback,
    path: '/guide-remarks',
    operation: 'listGuideRemarks',
    summary: 'List what readers wrote about guides',
    description: 'The latest first, without who wrote it; kept for `content.keepFeedback`.',
    list: guideRemarkList.options,
    reply: { 200: remarksReply },
    handle: async ({ services, list }) =>
      paginated(mapPage(await services.content.feedback.listRemarks(list), presentRemark)),
  }),
];

function presentVotes(votes: GuideVotes) {
  const { id, helpful, unhelpful, updatedAt } = votes;
  return { id, guide: nameOf(votes), helpful, unhelpful, updated_at: updatedAt };
}

function presentRemark(about: GuideRemark) {
  const { id, locale, isHelpful, remark, createdAt } = about;
  return { id, guide: nameOf(about), locale, is_helpful: isHelpful, remark, created_at: createdAt };
}

function nameOf({ guideId, guideKind, guideSlug, guideName }: GuideVotes | GuideRemark) {
  return { id: guideId, kind: guideKind, slug: guideSlug, name: guideName };
}
