import Joi from 'joi';
import { WEBHOOK_MOST } from '../../domain/webhooks/index.js';
import { idParam, idReply, instantField, nameField, referencesField, timestampReply } from '../fields.js';

const LONGEST_OVERLAP_S = 7 * 86_400;

interface WebhookFields {
  url?: string;
  description?: string;
  events?: string[];
  audiences?: (string | number)[];
  fields?: string[];
  at_once?: number | null;
  rate?: number | null;
  ordered?: boolean;
}

const eventName = Joi.string().max(100);
const fields = {
  url: Joi.string()
    .max(WEBHOOK_MOST.url)
    .description('Receives POST requests. https and a public address, unless `outbound.allow` names the host.')
    .example('https://hooks.example.com/portal'),
  description: nameField(WEBHOOK_MOST.description).allow('').example('Our billing'),
  events: Joi.array()
    .items(eventName)
    .min(1)
    .max(WEBHOOK_MOST.events)
    .description('Names of event types, or patterns: `app.*`, `*`.')
    .example(['app.*']),
  fields: Joi.array()
    .items(Joi.string().max(80))
    .max(WEBHOOK_MOST.fields)
    .description(
      'What messages tell besides: `label` of the subject, `changes` (values before and after), or single ones: `changes.status`. Never a key or a secret.',
    )
    .example(['changes.status']),
  at_once: Joi.number()
    .integer()
    .min(1)
    .max(WEBHOOK_MOST.atOnce)
    .allow(null)
    .description('Most requests at once; null: as many as the portal thinks best.')
    .example(null),
  rate: Joi.number()
    .integer()
    .min(1)
    .max(WEBHOOK_MOST.rate)
    .allow(null)
    .description('Most messages in a minute; null: any number.')
    .example(null),
  ordered: Joi.boolean()
    .description(
      'Messages about the same subject come one after another, in the order of their events; a later one waits while an earlier one is tried.',
    )
    .example(false),
};

/** Of the operator's endpoints. */
const audiences = referencesField(['partners'])
  .example([], { override: true })
  .description(
    'Names or ids; the whole set. The endpoint hears of developers and teams in one of them, and of products and plans that are for it, alone; none: of everything.',
  );

const newBody = Joi.object<WebhookFields & { url: string; events: string[] }>({
  ...fields,
  url: fields.url.required(),
  events: fields.events.required(),
});

const body = Joi.object<WebhookFields & { enabled?: boolean }>({
  ...fields,
  url: fields.url.description('Another address has to be verified anew.'),
  enabled: Joi.boolean().description('false turns the endpoint off; verifying it turns it on again.').example(false),
});

export const webhookRotationBody = Joi.object<{ overlap?: number }>({
  overlap: Joi.number()
    .integer()
    .min(0)
    .max(LONGEST_OVERLAP_S)
    .description('Seconds for which the earlier secret signs too. By default a day.')
    .example(86_400),
}).label('WebhookRotationInput');

export const webhookTestBody = Joi.object<{ type: string }>({
  type: eventName.required().description('A type of `listWebhookEvents`.').example('app.approved'),
}).label('WebhookTestInput');

export const webhookSinceBody = Joi.object<{ since: Date; until?: Date | null }>({
  since: instantField().required().example('2026-06-01T12:00Z'),
  until: instantField()
    .allow(null)
    .description('The end, which is not part of it; without it, or with null, until now.')
    .example('2026-06-01T13:00Z'),
}).label('WebhookSinceInput');

const endpointId = idParam.description('Id of the endpoint.').example(3);

export const webhookParams = Joi.object<{ id: number }>({ id: endpointId });
export const webhookDeliveryParams = Joi.object<{ id: number; delivery: number }>({
  id: endpointId,
  delivery: idParam.description('Id of the delivery.').example(8),
});

const endpoint = Joi.object({
  id: idReply.required(),
  url: Joi.string().required().example('https://hooks.example.com/portal'),
  description: Joi.string().allow('').required().example('Our billing'),
  events: Joi.array().items(Joi.string()).required().example(['app.*']),
  fields: Joi.array()
    .items(Joi.string())
    .required()
    .description('What messages tell besides.')
    .example(['changes.status']),
  at_once: Joi.number().integer().allow(null).required().example(null),
  rate: Joi.number().integer().allow(null).required().description('Most messages in a minute.').example(null),
  ordered: Joi.boolean().required().example(false),
  enabled: Joi.boolean().required().description('Whether it gets events now.'),
  status: Joi.string().valid('unverified', 'active', 'disabled').required(),
  disabled_reason: Joi.string()
    .valid('owner', 'gone', 'failing')
    .allow(null)
    .required()
    .description('`gone`: it answered 410. `failing`: for five days.')
    .example(null),
  failing_since: timestampReply.allow(null).required().example(null),
  previous_secret_until: timestampReply
    .allow(null)
    .required()
    .description('Until then two secrets sign.')
    .example(null),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
});

const withSecret = {
  secret: Joi.string()
    .required()
    .description('Told once.')
    .example('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='),
};

const ofOperator = endpoint.keys({
  audiences: Joi.array()
    .items(Joi.object({ id: idReply.required(), name: Joi.string().required().example('partners') }))
    .required()
    .description('Of which alone it hears; empty: of everything.')
    .example([]),
});

/** What an endpoint is given, and shown as: those of developers hear of no audiences. */
export const webhookSchemas = {
  consumer: {
    newBody: newBody.label('NewWebhookInput'),
    body: body.label('WebhookInput'),
    reply: endpoint.label('Webhook'),
    replyWithSecret: endpoint.keys(withSecret).label('WebhookWithSecret'),
  },
  admin: {
    newBody: newBody.keys({ audiences }).label('NewAdminWebhookInput'),
    body: body.keys({ audiences }).label('AdminWebhookInput'),
    reply: ofOperator.label('AdminWebhook'),
    replyWithSecret: ofOperator.keys(withSecret).label('AdminWebhookWithSecret'),
  },
};

const delivery = Joi.object({
  id: idReply.required(),
  webhook_id: Joi.string()
    .required()
    .description('The header of the same name, in every attempt.')
    .example('msg_2b7e151628aed2a6abf7158809cf4f3c'),
  type: Joi.string().required().example('app.approved'),
  state: Joi.string().valid('queued', 'sent', 'failed').required(),
  tries: Joi.number().integer().min(0).required().example(1),
  due_at: timestampReply.required().description('When a queued one is tried next.'),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
});

export const webhookDeliveryReply = delivery.label('WebhookDelivery');

export const webhookAttemptsReply = delivery
  .keys({
    body: Joi.string()
      .required()
      .description('As it is sent and signed.')
      .example('{"type":"app.approved","timestamp":"2026-06-01T12:00:00.000Z","data":{}}'),
    attempts: Joi.array()
      .items(
        Joi.object({
          number: Joi.number().integer().required().example(1),
          status: Joi.number().integer().allow(null).required().description('null: no answer.').example(200),
          failure: Joi.string().valid('unreachable', 'too-slow').allow(null).required().example(null),
          duration_ms: Joi.number().integer().required().example(87),
          answer: Joi.string()
            .allow('', null)
            .required()
            .description('The first 2 kB; null for hosts that are not public.')
            .example('ok'),
          created_at: timestampReply.required(),
        }).label('WebhookAttempt'),
      )
      .required(),
  })
  .label('WebhookDeliveryWithAttempts');

export const queuedReply = Joi.object({
  messages: Joi.number().integer().min(0).required().description('How many are sent.').example(3),
}).label('QueuedWebhooks');

export const webhookMessageReply = Joi.object({
  type: Joi.string().required().example('app.approved'),
  timestamp: timestampReply.required(),
  data: Joi.object({
    subject: Joi.object({
      type: Joi.string().required().example('app'),
      id: Joi.string().allow(null).required().example('1'),
      label: Joi.string().allow(null).description('For endpoints that chose it.').example('example'),
    })
      .allow(null)
      .required()
      .label('WebhookSubject'),
    owner_id: idReply.allow(null).required().description('The developer whose record it is.'),
    changed: Joi.array().items(Joi.string()).required().description('Names of the fields.').example(['status']),
    facts: Joi.object()
      .pattern(Joi.string(), Joi.alternatives(Joi.string(), Joi.number(), Joi.boolean()).allow(null))
      .required()
      .description('What the event tells besides.')
      .example({}),
    url: Joi.string().allow(null).required().description('Where the REST API shows the subject.').example(null),
    changes: Joi.object()
      .pattern(
        Joi.string(),
        Joi.object({ from: Joi.any().required(), to: Joi.any().required() }).label('WebhookChange'),
      )
      .description('Values before and after, for endpoints that chose them.')
      .example({ status: { from: 'pending', to: 'approved' } }),
  })
    .required()
    .label('WebhookData'),
})
  .description('A body, as it is sent.')
  .label('WebhookMessage');

export const webhookEventsReply = Joi.array().items(
  Joi.object({
    type: Joi.string().required().example('app.approved'),
    example: webhookMessageReply.required(),
  }).label('WebhookEventType'),
);
