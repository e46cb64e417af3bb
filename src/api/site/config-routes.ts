import Joi from 'joi';
import { defineRoute } from '../define-route.js';

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
