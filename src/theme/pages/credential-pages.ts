import { PLAN_TIMES, type OwnedCredential } from '../../domain/apps/index.js';
import type { TeamAbility } from '../../domain/teams/index.js';
import { NotFoundError, ValidationError, type FieldErrors } from '../../core/index.js';
import { field, listField } from '../form.js';
import { definePage, type FormState, type Page, type PageOutcome } from '../page.js';
import { backToApp } from './app-pages.js';
import { APP_PLACES, leadToKey, ownApp, showApp, asApprover, withPlans, type DeveloperVisit } from './show-app.js';

const DAY_S = 86_400;
const LONGEST_DAYS = 3_650;

type Act = (visit: DeveloperVisit) => Promise<PageOutcome>;

// The domain uses seconds, the form days.
const ofForm = ({ expires_in: seconds, ...errors }: FieldErrors): FieldErrors =>
  seconds ? { ...errors, expires_in_days: seconds } : errors;
// What is wrong with one product of a key stands above the keys; with those that are added, beside them.
const ofOne = ({ params }: DeveloperVisit, { products, ...errors }: FieldErrors): FieldErrors =>
  products ? { ...errors, [params.product === undefined ? 'products' : 'product']: products } : errors;
const retry = async (visit: DeveloperVisit, state: FormState) =>
  showApp(visit, await ownApp(visit), { state: { ...state, errors: ofOne(visit, ofForm(state.errors)) } });
const post = (path: string, handle: Act): Page =>
  definePage({ method: 'post', path, audience: 'developers', handle, retry });

/** Keys of an app, and the products on them. */
export const credentialPages = APP_PLACES.flatMap((place) => pagesOf(`${place}/:appName`));

function pagesOf(app: string): Page[] {
  const one = `${app}/credentials/:id`;
  return [
    post(`${app}/credentials`, async (visit) => {
      const { services, actor, request } = visit;
      const owned = await ownApp(visit, 'app.keys.manage');
      const products = listField(request, 'products');
      if (products.length === 0) throw new ValidationError({ products: ['Choose at least one API.'] });
      const input = { products: withPlans(request, products), expiresIn: expiryOf(visit) };
      const credential = await services.apps.credentials.create(owned, input, asApprover(actor));
      return leadToKey(visit, credential, 'key-created', owned.app.name);
    }),
    post(`${one}/approve`, changeCredential('approve', 'key-approved')),
    post(`${one}/revoke`, changeCredential('revoke', 'key-revoked')),
    post(`${one}/delete`, async (visit) => {
      await visit.services.apps.credentials.delete(await ownCredential(visit), asApprover(visit.actor));
      return backToApp(visit, 'key-deleted');
    }),
    post(`${one}/rotate`, async (visit) => {
      const { services, actor } = visit;
      const rotated = await services.apps.rotation.rotate(
        await ownCredential(visit, 'app.keys.rotate'),
        {},
        asApprover(actor),
      );
      return leadToKey(visit, rotated, 'key-rotated');
    }),
    post(`${one}/reveal`, async (visit) => {
      const { services, actor } = visit;
      const owned = await ownCredential(visit, 'app.keys.reveal');
      services.auth.guard.requireRecentSignIn(actor);
      const revealed = await services.apps.credentials.reveal(owned, asApprover(actor));
      return leadToKey(visit, revealed, 'key-revealed');
    }),
    post(`${one}/products`, async (visit) => {
      const { services, actor, request } = visit;
      const products = listField(request, 'products');
      if (products.length === 0) throw new ValidationError({ products: ['Choose at least one API.'] });
      await services.apps.grants.add(await ownCredential(visit), withPlans(request, products), asApprover(actor));
      return backToApp(visit, 'product-added');
    }),
    post(`${one}/products/:product/plan`, async (visit) => {
      const { services, actor, request, params } = visit;
      const grant = await services.apps.grants.find(await ownCredential(visit), params.product ?? '');
      const when = PLAN_TIMES.find((one) => one === field(request, 'when')) ?? 'now';
      await services.apps.plans.change(grant, { plan: field(request, 'plan'), when }, asApprover(actor));
      return backToApp(visit, 'plan-changed');
    }),
    post(`${one}/products/:product/plan/withdraw`, async (visit) => {
      const { services, actor, request, params } = visit;
      const grant = await services.apps.grants.find(await ownCredential(visit), params.product ?? '');
      await services.apps.plans.withdraw(grant, field(request, 'plan'), asApprover(actor));
      return backToApp(visit, 'plan-withdrawn');
    }),
    post(`${one}/products/:product/delete`, changeGrant('remove', 'product-removed')),
    post(`${one}/products/:product/approve`, changeGrant('approve', 'product-approved')),
    post(`${one}/products/:product/revoke`, changeGrant('revoke', 'product-revoked')),
  ];
}

async function ownCredential(
  visit: DeveloperVisit,
  ability: TeamAbility = 'app.keys.manage',
): Promise<OwnedCredential> {
  const id = visit.params.id ?? '';
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new NotFoundError();
  return visit.services.apps.credentials.find(await ownApp(visit, ability), Number(id));
}

function changeCredential(act: 'approve' | 'revoke', flash: string): Act {
  return async (visit) => {
    await visit.services.apps.credentials[act](await ownCredential(visit), asApprover(visit.actor));
    return backToApp(visit, flash);
  };
}

function changeGrant(act: 'remove' | 'approve' | 'revoke', flash: string): Act {
  return async (visit) => {
    const { grants } = visit.services.apps;
    const grant = await grants.find(await ownCredential(visit), visit.params.product ?? '');
    await grants[act](grant, asApprover(visit.actor));
    return backToApp(visit, flash);
  };
}

/** Days in the form, seconds in the domain; empty means as long as the portal allows. */
function expiryOf({ request }: DeveloperVisit): number | undefined {
  const text = field(request, 'expires_in_days').trim();
  if (text === '') return undefined;
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= LONGEST_DAYS) return days * DAY_S;
  throw new ValidationError({ expires_in_days: [`Give a whole number of days from 1 to ${LONGEST_DAYS}.`] });
}
