import Joi from 'joi';
import { settingList, type SettingRecord } from '../../domain/site/index.js';
import { created, ok, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion } from '../fields.js';
import { newSettingBody, settingBody, settingListReply, settingParams, settingReply } from './setting-schema.js';

const publicConfigReply = Joi.object({
  name: Joi.string().required().example('Developer Portal'),
  default_locale: Joi.string().required().example('en'),
  locales: Joi.array().items(Joi.string()).required().example(['en', 'ar']),
  features: Joi.object({
    registration: Joi.boolean().required(),
    mfa: Joi.boolean().required(),
    oidc: Joi.boolean().required(),
  }).required(),
  links: Joi.object({
    theme: Joi.string().allow(null).required().description('Path of the web theme; null when it is off.'),
    docs: Joi.string().allow(null).required().description('Path of the API documentation; null when it is off.'),
  }).required(),
  settings: Joi.object().unknown().required().description('Settings that admins declared public.'),
}).label('PublicConfig');

export const configRoutes = [
  defineRoute({
    context: 'consumer',
    auth: 'none',
    tag: 'Portal',
    method: 'get',
    path: '/config',
    operation: 'getConfig',
    summary: 'Show the public configuration',
    description: 'What a front end needs before anybody signs in: names, languages, features and public settings.',
    reply: { 200: publicConfigReply },
    handle: async ({ services }) => {
      const { name, defaultLocale, locales, features, links } = services.site.about;
      const settings = await services.site.settings.readPublic();
      return { name, default_locale: defaultLocale, locales, features, links, settings };
    },
  }),
];

const settings = { context: 'admin', tag: 'Settings', path: '/settings' } as const;
const one = {
  ...settings,
  path: '/settings/:id',
  params: settingParams,
  find: ({ services, params }: PathContext<{ id: string }>) => services.site.settings.find(params.id),
} as const;

export const settingRoutes = [
  defineRoute({
    ...settings,
    policy: ['view', 'settings'],
    method: 'get',
    operation: 'listSettings',
    summary: 'List settings',
    description:
      'Those that the portal reads itself, each with its default and a sentence, and those that admins made. Values of ' +
      'secrets are masked. Values are neither sorted nor filtered.',
    list: settingList.options,
    reply: { 200: settingListReply },
    handle: async ({ services, list }) => paginated(mapPage(await services.site.settings.list(list), presentSetting)),
  }),
  defineRoute({
    ...settings,
    policy: ['create', 'settings'],
    method: 'post',
    operation: 'createSetting',
    summary: 'Create a setting',
    description:
      'For the host, which reads it by its key. Keys below `theme.` are those that the portal reads, and no others. Settings ' +
      'never override the configuration of the portal, whatever their keys.',
    body: newSettingBody,
    reply: { 201: settingReply },
    handle: async ({ services, body: { public: isPublic, ...input } }) =>
      created(presentSetting(await services.site.settings.create({ ...input, isPublic }))),
  }),
  defineRoute({
    ...one,
    policy: ['view', 'settings'],
    method: 'get',
    operation: 'getSetting',
    summary: 'Show a setting',
    reply: { 200: settingReply },
    handle: ({ found }) => presentSetting(found),
  }),
  defineRoute({
    ...one,
    policy: ['update', 'settings'],
    method: 'put',
    operation: 'updateSetting',
    record: true,
    summary: 'Change a setting',
    description:
      'The value of a setting that the portal reads is checked; its key, its type and that it is public stay.',
    body: settingBody,
    versioned: true,
    reply: { 200: settingReply },
    handle: async ({ services, found, expected, body: { public: isPublic, ...input } }) =>
      presentSetting(await services.site.settings.update(found.id, { ...input, isPublic }, expected)),
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    policy: ['delete', 'settings'],
    operation: 'deleteSetting',
    summary: 'Delete a setting',
    description: 'One that the portal reads stays, without a value.',
    handle: async ({ services, found, expected }) => {
      await services.site.settings.delete(found, expected);
      return ok({}, { message: 'Setting deleted.' });
    },
  }),
];

const logo = { context: 'admin', tag: 'Settings', path: '/logo', policy: ['update', 'settings'] } as const;

export const logoRoutes = [
  defineRoute({
    ...logo,
    method: 'put',
    operation: 'setLogo',
    summary: 'Upload the logo',
    description:
      'A PNG, JPEG, WebP or GIF image in the multipart field `logo`, told by its content; SVG is refused. The setting ' +
      '`theme.logo_url` then points at it.',
    upload: {
      field: 'logo',
      types: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
      maxBytes: ({ catalog }) => catalog.limits.maxImageBytes,
    },
    reply: { 200: settingReply },
    handle: async ({ services, upload }) => {
      const { settings: service } = services.site;
      return presentSetting(await service.setLogo(upload.bytes, (file) => `${services.paths.api}/${file}`));
    },
  }),
  defineRoute({
    ...logo,
    method: 'delete',
    operation: 'deleteLogo',
    summary: 'Take the logo away',
    description: '`theme.logo_url` has no value then; an uploaded file goes with its last reference.',
    reply: { 200: settingReply },
    handle: async ({ services }) => presentSetting(await services.site.settings.deleteLogo()),
  }),
];

function presentSetting(setting: SettingRecord) {
  return {
    id: setting.id,
    key: setting.key,
    value: setting.value,
    type: setting.type,
    label: setting.label,
    group: setting.group,
    public: setting.isPublic,
    default: setting.default,
    description: setting.description,
    created_at: setting.createdAt,
    updated_at: setting.updatedAt,
  };
}
