import Joi from 'joi';
import type { LimitsBody } from '../catalog/plan-schema.js';
import { limitFields } from '../catalog/plan-schema.js';
import { idParam, idReply, instantField, textField, timestampReply } from '../fields.js';
import type { AppParams } from './find.js';
import { overrideTerms } from './terms-schema.js';

export interface OverrideParams extends AppParams {
  readonly id: number;
}

export const overrideParamsOf = (app: Joi.ObjectSchema<AppParams>) =>
  (app as Joi.ObjectSchema<OverrideParams>).keys({ id: idParam.description('Id of the override.').example(3) });

const { rate_per_second, rate_per_minute, rate_per_hour, quota_per_day, quota_per_month, quota_per_anchored_month } =
  limitFields;
const raised = {
  ...{ rate_per_second, rate_per_minute, rate_per_hour },
  ...{ quota_per_day, quota_per_month, quota_per_anchored_month },
};

export type RaisedBody = Pick<LimitsBody, keyof typeof raised>;

export type NewOverrideBody = RaisedBody & {
  product: string;
  exempt?: boolean;
  ends_at?: Date | null;
  reason: string;
};

export const newOverrideBody = Joi.object<NewOverrideBody>({
  product: Joi.string().max(100).required().description('Slug or id.').example('payments'),
  ...Object.fromEntries(
    Object.entries(raised).map(([name, schema]) => [
      name,
      schema.description('Holds where it is more than the plan allows.').example(null, { override: true }),
    ]),
  ),
  quota_per_day: quota_per_day
    .description('Holds where it is more than the plan allows.')
    .example(5_000, { override: true }),
  exempt: Joi.boolean().description('No limits at all.').example(false),
  ends_at: instantField()
    .allow(null)
    .description('From then on the plan holds again, by itself; without it until an admin ends it.')
    .example('2030-01-01T00:00Z'),
  reason: textField(500).empty('').required().description('The developer sees it.').example('Their sale of the year.'),
}).label('NewOverrideInput');

export const overrideReply = Joi.object({
  id: idReply.required(),
  product: Joi.string().required().description('Slug.').example('payments'),
  status: Joi.string().valid('active', 'ended').required(),
  ...Object.fromEntries(Object.entries(raised).map(([name, schema]) => [name, schema.required()])),
  ...overrideTerms,
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('PlanOverride');

export const overrideListReply = Joi.array().items(overrideReply);
