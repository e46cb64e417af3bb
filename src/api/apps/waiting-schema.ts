import Joi from 'joi';
import { idReply, timestampReply } from '../fields.js';
import { owner, planOfKey, productOnKey } from './schema.js';

const call = (operation: string) =>
  Joi.object({
    operation: Joi.string().required().description('Operation id in this document.').example(operation),
    params: Joi.object()
      .pattern(Joi.string(), [Joi.string(), Joi.number()])
      .required()
      .description('Parameters of its path.')
      .example({ user: 2, appName: 'checkout', id: 3, product: 'payments' }),
  })
    .allow(null)
    .required()
    .description('null for an admin who may not decide.');

export const waitingListReply = Joi.array().items(
  Joi.object({
    kind: Joi.string()
      .valid('developer', 'app', 'key', 'product', 'plan')
      .required()
      .description('What waits; `product` is a product on a key, `plan` another plan for it.')
      .example('product'),
    waiting_since: timestampReply.required().description('When it was created, or asked for.'),
    developer: owner.required(),
    app: Joi.object({
      name: Joi.string().required().example('checkout'),
      display_name: Joi.string().required().example('Checkout'),
      description: Joi.string().allow('').required().example('Payments of our shop'),
    })
      .allow(null)
      .required()
      .description('null for a developer.'),
    credential: Joi.object({
      id: idReply.required(),
      consumer_key: Joi.string().required().description('Masked.').example('port••••x3Qa'),
    })
      .allow(null)
      .required()
      .description('The key that waits, or the one with the product; otherwise null.'),
    products: Joi.array()
      .items(productOnKey)
      .required()
      .description('The products of the app or key; of a product on a key only that one.'),
    plan: planOfKey.allow(null).required().description('The plan that is asked for, of a product on a key.'),
    approve: call('approveUserCredentialProduct'),
    refuse: call('revokeUserCredentialProduct'),
  }).label('WaitingDecision'),
);
