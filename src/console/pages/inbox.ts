import { NotFoundError, ValidationError, type ListPage } from '../../core/index.js';
import { definePage, field, Redirect, View, type FormState, type Page } from '../../theme/index.js';
import { recordPath } from '../console-resource.js';
import { adminCall, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import { textAt, valueAt, type ApiRecord, type RecordParams } from '../resource.js';
import { fieldsOf } from '../schema-fields.js';

const KINDS = ['developer', 'app', 'key', 'product', 'plan'];
const PER_PAGE = '25';
const MOST_PARAMS = 2_000;

interface Call {
  readonly operation: string;
  readonly params: RecordParams;
}

interface Decision {
  readonly verb: 'approve' | 'refuse';
  /** Operation that shows the record, to see whether it still waits. */
  readonly show: string;
}

/** The operations that an entry of the queue may name. */
const DECISIONS: Readonly<Record<string, Decision>> = {
  activateUser: { verb: 'approve', show: 'getUser' },
  deactivateUser: { verb: 'refuse', show: 'getUser' },
  approveUserApp: { verb: 'approve', show: 'getUserApp' },
  revokeUserApp: { verb: 'refuse', show: 'getUserApp' },
  approveUserCredential: { verb: 'approve', show: 'getUserCredential' },
  revokeUserCredential: { verb: 'refuse', show: 'getUserCredential' },
  approveUserCredentialProduct: { verb: 'approve', show: 'getUserCredential' },
  revokeUserCredentialProduct: { verb: 'refuse', show: 'getUserCredential' },
  approveUserCredentialPlan: { verb: 'approve', show: 'getUserCredential' },
  withdrawUserCredentialPlan: { verb: 'refuse', show: 'getUserCredential' },
};

/** Everything that waits for a decision, oldest first; after each decision the next one is open. */
export function inboxPages(context: ConsoleContext): Page[] {
  const runs = Object.entries(DECISIONS).flatMap(([operation, { show }]) => [operation, show]);
  const guard = { path: '/inbox', audience: 'admins', needs: ['listWaiting'], runs } as const;
  return [
    definePage({ ...guard, method: 'get', handle: (visit) => showInbox(context, visit) }),
    definePage({
      ...guard,
      method: 'post',
      handle: (visit) => decide(context, visit),
      retry: (visit, state) => showInbox(context, visit, state),
    }),
  ];
}

async function showInbox(context: ConsoleContext, visit: AdminVisit, state?: FormState): Promise<View> {
  const read = (name: string) => visit.request.query.get(name)?.at(-1) ?? (state ? field(visit.request, name) : '');
  const kind = KINDS.find((one) => one === read('kind')) ?? null;
  const number = Math.max(1, Number.parseInt(read('page'), 10) || 1);
  const page = await readQueue(context, visit, kind, number);
  const { items, total, nextCursor } = page;
  const at = Math.min(Math.max(0, Number.parseInt(read('at'), 10) || 0), items.length - 1);
  const address = (to: number) => addressOf({ kind, page: to });
  return new View(
    'console/inbox',
    {
      ...{ kind, total, number, problem: state?.problem ?? null },
      errors: Object.values(state?.errors ?? {}).flat(),
      kinds: [null, ...KINDS].map((name) => ({ name, href: addressOf({ kind: name }), isCurrent: name === kind })),
      entries: items.map((entry, index) => entryValues(context, visit, entry, { index, isOpen: index === at })),
      pages: {
        ...{ page: number, pages: total === null ? null : Math.max(1, Math.ceil(total / Number(PER_PAGE))) },
        previous: number > 1 ? queryOf(address(number - 1)) : null,
        next: nextCursor === null ? null : queryOf(address(number + 1)),
      },
    },
    { title: 'console.inbox.title', status: state?.status ?? 200 },
  );
}

async function readQueue({ operations }: ConsoleContext, visit: AdminVisit, kind: string | null, number: number) {
  const filters = kind === null ? {} : { filters: JSON.stringify({ kind }) };
  const ask = async (page: number) => {
    const query = { per_page: PER_PAGE, page: String(page), ...filters };
    return (await operations.run('listWaiting', adminCall(visit, { query }))).page as ListPage<ApiRecord>;
  };
  const page = await ask(number);
  // The last decision of a page leads to the page before.
  return page.items.length === 0 && number > 1 ? ask(1) : page;
}

function entryValues(
  { operations, registry }: ConsoleContext,
  { services }: AdminVisit,
  entry: ApiRecord,
  { index, isOpen }: { readonly index: number; readonly isOpen: boolean },
) {
  const since = entry.waiting_since as Date;
  const user = valueAt(entry, 'developer.id') as number;
  const pathOf = (resource: string, params: RecordParams) =>
    registry.has(resource) ? recordPath(registry.find(resource), params) : null;
  const refuse = entry.refuse as Call | null;
  const approve = entry.approve as Call | null;
  const appName = textAt(entry, 'app.name');
  return {
    ...{ entry, index, isOpen, since },
    age: (services.clock.now().getTime() - since.getTime()) / 1000,
    person: pathOf('users', { id: user }),
    app: appName === '' ? null : pathOf('apps', { user, appName }),
    key: entry.credential ? pathOf('keys', { user, appName, id: valueAt(entry, 'credential.id') as number }) : null,
    approve: approve?.operation ?? null,
    refuse: refuse?.operation ?? null,
    params: JSON.stringify(approve?.params ?? {}),
    takesReason: refuse !== null && fieldsOf(operations.route(refuse.operation).body).some(isReason),
  };
}

const isReason = ({ name }: { readonly name: string }) => name === 'reason';

async function decide(context: ConsoleContext, visit: AdminVisit): Promise<Redirect> {
  const { operations, waiting } = context;
  const { request } = visit;
  const operation = field(request, 'operation');
  const params = readParams(field(request, 'params'));
  const decision = Object.hasOwn(DECISIONS, operation) ? DECISIONS[operation] : undefined;
  if (!decision) throw new ValidationError({ operation: ['That is no decision of the queue.'] });
  const back = addressOf({
    kind: KINDS.find((one) => one === field(request, 'kind')) ?? null,
    page: Number.parseInt(field(request, 'page'), 10) || 1,
    at: Number.parseInt(field(request, 'at'), 10) || 0,
  });
  // An admin who may not decide is told so first, whatever the state.
  await operations.require(operation, adminCall(visit));
  const state = await stateOf(context, visit, decision, params);
  waiting.forget(visit.actor);
  if (state !== 'pending') return new Redirect(back, ALREADY[state] ?? 'inbox-gone');
  const reason = field(request, 'reason').trim();
  const takesReason = fieldsOf(operations.route(operation).body).some(isReason);
  const body = takesReason && reason !== '' ? { reason } : {};
  await operations.run(operation, adminCall(visit, { params, body }));
  waiting.forget(visit.actor);
  return new Redirect(back, decision.verb === 'approve' ? 'inbox-approved' : 'inbox-refused');
}

/** What another admin did to it meanwhile. */
const ALREADY: Readonly<Record<string, string>> = {
  active: 'inbox-already-approved',
  approved: 'inbox-already-approved',
  inactive: 'inbox-already-refused',
  revoked: 'inbox-already-refused',
};

/** The state of the record to decide on; empty if it no longer exists. */
async function stateOf({ operations }: ConsoleContext, visit: AdminVisit, { show }: Decision, params: RecordParams) {
  try {
    const { data } = await operations.run(show, adminCall(visit, { params }));
    if (params.product === undefined) return textAt(data, 'status');
    const products = valueAt(data, 'products') as readonly ApiRecord[] | undefined;
    const product = products?.find(({ slug }) => slug === params.product);
    if (params.plan === undefined) return textAt(product, 'status');
    const isOther = textAt(product, 'next_plan.slug') !== params.plan;
    return isOther ? '' : textAt(product, 'next_plan.status');
  } catch (error) {
    if (error instanceof NotFoundError) return '';
    throw error;
  }
}

function readParams(text: string): RecordParams {
  try {
    const params: unknown = text.length <= MOST_PARAMS ? JSON.parse(text) : null;
    const values = Object.entries(params as RecordParams);
    return Object.fromEntries(values.filter(([, value]) => ['string', 'number'].includes(typeof value)));
  } catch {
    throw new ValidationError({ params: ['That is no decision of the queue.'] });
  }
}

interface Place {
  readonly kind: string | null;
  readonly page?: number;
  readonly at?: number;
}

function addressOf({ kind, page = 1, at = 0 }: Place): string {
  const query = new URLSearchParams({
    ...(kind !== null && { kind }),
    ...(page > 1 && { page: String(page) }),
    ...(at > 0 && { at: String(at) }),
  }).toString();
  return query === '' ? '/inbox' : `/inbox?${query}`;
}

const queryOf = (address: string) => address.slice('/inbox'.length) || '?';
