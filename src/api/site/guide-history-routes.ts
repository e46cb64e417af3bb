import Joi from 'joi';
import {
  guideVersionList,
  type AdminGuide,
  type GuideVersion,
  type GuideVersionRow,
} from '../../domain/content/index.js';
import { paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { idParam, idReply, timestampReply } from '../fields.js';
import { presentAdminGuide, presentTexts } from './guide-routes.js';
import { adminGuideReply, guideParams, guideTranslationsReply } from './guide-schema.js';

const text = Joi.string().allow('').required();
const kept = {
  id: idReply.required(),
  guide: Joi.object({
    id: idReply.required(),
    slug: Joi.string().required().example('quickstart'),
    name: Joi.string().required().example('Quickstart'),
  })
    .required()
    .description('The guide as it is today.')
    .label('GuideName'),
  name: Joi.string().required().description('Its title then.').example('Quickstart'),
  short_description: text.example('From the first 401 to the first 200.'),
  group: text.example('Start here'),
  author: Joi.object({
    type: Joi.string()
      .valid('developer', 'admin', 'service', 'visitor', 'operator', 'system')
      .required()
      .example('admin'),
    id: idReply.allow(null).required(),
    name: Joi.string().allow(null, '').required().example('Ada Byron'),
  })
    .required()
    .description('Who left it like this; `system` for what it said before its history began.'),
  created_at: timestampReply.required(),
};
const versionListReply = Joi.array().items(Joi.object(kept).label('GuideVersion'));
const versionReply = Joi.object({
  ...kept,
  description: text.description('Markdown.').example('Ask for a key, then call.'),
  translations: guideTranslationsReply.required().description('Locale → texts; null falls back to the default locale.'),
}).label('GuideVersionTexts');

const versionParams = Joi.object<{ id: number; version: number }>({ id: idParam, version: idParam });

const versions = { context: 'admin', tag: 'Guides of the portal' } as const;
const one = {
  ...versions,
  params: versionParams,
  find: async ({ services, params }: PathContext<{ id: number; version: number }>) => {
    const guide = await services.content.guides.findForAdmin(params.id);
    return { guide, version: await services.content.guides.history.find(guide, params.version) };
  },
} as const;

/** What guides of the console said before. */
export const guideHistoryRoutes = [
  defineRoute({
    ...versions,
    method: 'get',
    path: '/guides/:id/versions',
    operation: 'listGuideVersions',
    summary: 'List what a guide or news said before',
    description: 'Each change of its texts, the latest 100. Guides of files have the history of their files instead.',
    policy: ['view', 'guides'],
    params: guideParams,
    list: guideVersionList.options,
    reply: { 200: versionListReply },
    find: ({ services, params }) => services.content.guides.findForAdmin(params.id),
    handle: async ({ services, found, list }) =>
      paginated(
        mapPage(await services.content.guides.history.list(found, list), (version) => presentVersion(found, version)),
      ),
  }),
  defineRoute({
    ...one,
    method: 'get',
    path: '/guides/:id/versions/:version',
    operation: 'getGuideVersion',
    summary: 'Show what a guide or news said before',
    policy: ['view', 'guides'],
    reply: { 200: versionReply },
    handle: ({ found: { guide, version } }) => presentTextsOf(guide, version),
  }),
  defineRoute({
    ...one,
    method: 'post',
    path: '/guides/:id/versions/:version/restore',
    operation: 'restoreGuideVersion',
    errors: [409],
    summary: 'Give a guide or news the texts of a version again',
    description:
      'A change like any other, with a version of its own. What is not text stays: visibility, audiences, place. Refused with 409 for ' +
      'a guide that is managed in files.',
    policy: ['update', 'guides'],
    reply: { 200: adminGuideReply },
    handle: async ({ services, found: { guide, version } }) =>
      presentAdminGuide(await services.content.guides.restore(guide.id, version)),
  }),
];

function presentVersion({ slug, name: title, id }: AdminGuide, version: GuideVersionRow) {
  const { name, shortDescription, group, authorType: type, authorId, authorName, createdAt } = version;
  return {
    ...{ id: version.id, guide: { id, slug, name: title }, name, short_description: shortDescription, group },
    ...{ author: { type, id: authorId, name: authorName }, created_at: createdAt },
  };
}

function presentTextsOf(guide: AdminGuide, version: GuideVersion) {
  const { description, translations } = version;
  return { ...presentVersion(guide, version), description, translations: presentTexts(translations) };
}
