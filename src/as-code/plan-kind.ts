import {
  idOfAnswer,
  namesOf,
  presentOf,
  translationsOf,
  withoutEmpty,
  type Doc,
  type Kind,
  type Present,
} from './kind.js';
import { PortRefusal, tagOf, type AdminPort } from './port.js';
import { isSameField } from './simple-kinds.js';

const LIMITS = [
  ...['rate_per_second', 'rate_per_minute', 'rate_per_hour', 'quota_per_day', 'quota_per_month'],
  ...['quota_per_anchored_month', 'concurrency', 'enforcement', 'grace_percent', 'shared'],
];
/** What limits that are not there are. */
const STANDARDS = { enforcement: 'hard', grace_percent: 0, shared: false };
const TEXTS = [
  'name',
  'short_description',
  'description',
  'price',
  'price_url',
  'position',
  'approval',
  'key_lifetime',
];
const FIELDS = [...TEXTS, 'keyless', 'trial_days', 'fallback_plan', 'audiences', 'archived', 'limits', 'translations'];

/** What plans allow is kept in versions: another set of limits makes and activates a new one. */
export const planKind: Kind = {
  ...{ name: 'plans', key: 'slug', fields: FIELDS, operation: 'createPlan' },
  list: async (port) => {
    const shown = await port.all('listPlans', { with: 'audiences,translations' });
    return Promise.all(shown.map(async (plan) => presentOf(planKind, plan, await shape(port, plan))));
  },
  isSame: (_port, field, wanted, present) => Promise.resolve(isSame(field, wanted, present)),
  create: async (port, key, { limits, archived, ...doc }) => {
    const made = await port.call('createPlan', { body: { slug: key, ...doc } });
    await writeLimits(port, key, (limits ?? {}) as Doc);
    if (archived === true) await port.call('archivePlan', { params: { plan: key } });
    return idOfAnswer(made);
  },
  update: async (port, { key, etag }, { limits, archived, keyless, ...changes }) => {
    if (keyless !== undefined) throw new PortRefusal(422, 'keyless never changes.');
    const params = { plan: key };
    if (Object.keys(changes).length > 0) await port.call('updatePlan', { params, body: changes, ifMatch: etag });
    if (limits !== undefined) await writeLimits(port, key, limits as Doc);
    if (archived !== undefined) await port.call(archived === true ? 'archivePlan' : 'restorePlan', { params });
  },
  remove: async (port, { key, etag }) => void (await port.call('deletePlan', { params: { plan: key }, ifMatch: etag })),
};

async function shape(port: AdminPort, plan: Doc): Promise<Doc> {
  const { active_version: number, slug } = plan;
  const version =
    number === null
      ? {}
      : ((await port.call('getPlanVersion', { params: { plan: String(slug), number: Number(number) } })) as Doc);
  // Only what is there: nobody shares without being told to.
  const limits = LIMITS.map((name) => [name, name === 'shared' ? version[name] || null : version[name]] as const);
  return {
    ...Object.fromEntries(TEXTS.map((name) => [name, plan[name]])),
    ...{ keyless: plan.keyless === true ? true : null, trial_days: plan.trial_days, fallback_plan: plan.fallback_plan },
    audiences: namesOf(plan.audiences, 'name'),
    archived: plan.status === 'archived' ? true : null,
    limits: withoutEmpty(Object.fromEntries(limits)),
    translations: translationsOf(plan.translations),
  };
}

function isSame(field: string, wanted: unknown, present: Present): boolean {
  // A field that is not there is a limit that there is not: limits are one value.
  if (field === 'keyless' || field === 'archived') return (wanted === true) === (present.doc[field] === true);
  if (field !== 'limits') return isSameField(field, wanted, present);
  return isSameField(
    field,
    { ...STANDARDS, ...(wanted as Doc) },
    { ...present, doc: { limits: { ...STANDARDS, ...(present.doc.limits as Doc) } } },
  );
}

async function writeLimits(port: AdminPort, plan: string, limits: Doc): Promise<void> {
  const none = Object.fromEntries(LIMITS.map((name) => [name, null]));
  const body = { ...none, ...STANDARDS, ...limits };
  const versions = await port.all('listPlanVersions', {}, { plan });
  const draft = versions.find(({ status }) => status === 'draft');
  const version = (
    draft
      ? await port.call('updatePlanVersion', {
          params: { plan, number: Number(draft.number) },
          body,
          ifMatch: tagOf(draft),
        })
      : await port.call('createPlanVersion', { params: { plan }, body })
  ) as Doc;
  await port.call('activatePlanVersion', { params: { plan, number: Number(version.number) }, ifMatch: tagOf(version) });
}
