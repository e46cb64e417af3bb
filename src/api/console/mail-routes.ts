import Joi from 'joi';
import { mailList } from '../../domain/notifications/index.js';
import { paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import type { PortalServices } from '../../domain/services.js';
import { defineRoute } from '../define-route.js';
import { idParam, idReply, timestampReply } from '../fields.js';

type Mail = Awaited<ReturnType<PortalServices['mails']['find']>>;

const mailReply = Joi.object({
  id: idReply.required(),
  template: Joi.string().required().example('password-reset'),
  recipient: Joi.string()
    .allow(null)
    .required()
    .description('null once its account is deleted, and for mails of an earlier release.')
    .example('ada@example.com'),
  state: Joi.string()
    .valid('queued', 'sent', 'failed')
    .required()
    .description('`failed`: refused for good, or given up after ten tries.'),
  tries: Joi.number().integer().min(0).required().example(1),
  last_error: Joi.string()
    .allow(null)
    .required()
    .description('Class, code and status of the last failure, without a word of the mail or of the server.')
    .example('MailRefusedError from Error EENVELOPE 550'),
  due_at: timestampReply.required().description('When a queued mail is tried next.'),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('Mail');

const mails = { context: 'admin', tag: 'Operation' } as const;
const mayView = { policy: ['view', 'mails'] } as const;
const one = {
  ...mails,
  params: Joi.object<{ id: number }>({ id: idParam }),
  reply: { 200: mailReply },
  find: ({ services, params }: { readonly services: PortalServices; readonly params: { readonly id: number } }) =>
    services.mails.find(params.id),
};

export const mailRoutes = [
  defineRoute({
    ...mails,
    ...mayView,
    method: 'get',
    path: '/mails',
    operation: 'listMails',
    summary: 'List the mails of the last 30 days, newest first',
    description: 'What a mail says, and any link in it, is never part of an answer.',
    list: mailList.options,
    reply: { 200: Joi.array().items(mailReply) },
    handle: async ({ services, list }) => paginated(mapPage(await services.mails.list(list), presentMail)),
  }),
  defineRoute({
    ...one,
    ...mayView,
    method: 'get',
    path: '/mails/:id',
    operation: 'getMail',
    summary: 'Show the state of a mail',
    handle: ({ found }) => presentMail(found),
  }),
  defineRoute({
    ...one,
    policy: ['update', 'mails'],
    method: 'post',
    path: '/mails/:id/resend',
    operation: 'resendMail',
    errors: [409],
    summary: 'Send a mail again',
    description:
      'One that is queued or failed is due now, with ten tries ahead of it. 409 for one that was sent, whose content is ' +
      'gone, or that is being sent. Links in it live no longer for that.',
    handle: async ({ services, found }) => presentMail(await services.mails.resend(found)),
  }),
];

function presentMail({ id, template, recipient, state, tries, lastError, dueAt, createdAt, updatedAt }: Mail) {
  return {
    ...{ id, template, recipient, state, tries },
    last_error: lastError,
    due_at: dueAt,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
