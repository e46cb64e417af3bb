import { PortalError, TimeLimitError, within, type ListPage } from '../../core/index.js';
import { definePage, View, type Page } from '../../theme/index.js';
import { paramsOf, recordPath } from '../console-resource.js';
import { listAllowed, adminCall, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import { textAt, textOf, valueAt, type AdminResource, type ApiRecord } from '../resource.js';

/** Of each kind; its list has the rest. */
const MOST_FOUND = 5;
const LONGEST = 200;
const ENDING = 4;
const KEYS = 'listAllCredentials';
const OWN_PAGES = ['home', 'inbox', 'batches', 'account'];
/** A list that takes longer is left out. */
const LONGEST_MS = 2_000;

interface Found {
  readonly title: string;
  readonly detail: string;
  /** Below the prefix. */
  readonly href: string;
}

interface Group {
  /** Pages of the console, what can be made there, or records of a resource. */
  readonly kind: 'pages' | 'actions' | 'records';
  readonly resource?: AdminResource;
  readonly found: readonly Found[];
  /** The list with everything that was found; null when this is everything. */
  readonly more: string | null;
}

/** One search over everything that an admin may see; also what the command palette asks. */
export function searchPage(context: ConsoleContext): Page {
  const handle = async (visit: AdminVisit) => {
    const q = (visit.request.query.get('q')?.at(-1) ?? '').trim().slice(0, LONGEST);
    const records = Promise.allSettled(q === '' ? [] : findRecords(context, visit, q));
    const pages = await findPages(context, visit, q);
    const answers = await records;
    const groups = [...pages, ...answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : null))];
    return new View(
      'console/search',
      {
        ...{ q, groups: groups.filter((group) => group !== null && group.found.length > 0) },
        isPartial: answers.some((answer) => answer.status === 'rejected' && isLate(answer.reason)),
      },
      { title: 'console.search.title' },
    );
  };
  const runs = context.registry.all.flatMap(({ operations: { list } }) => (list === undefined ? [] : [list]));
  return definePage({ method: 'get', path: '/search', audience: 'admins', runs, handle });
}

/**
 * Whether a list did not answer, such as that of the gateway: the others are shown. One that takes no such text has
 * nothing to show.
 */
function isLate(error: unknown): boolean {
  if (error instanceof TimeLimitError) return true;
  if (error instanceof PortalError) return error.status >= 500;
  throw error;
}

function findRecords(context: ConsoleContext, visit: AdminVisit, q: string): Promise<Group | null>[] {
  const { operations, registry } = context;
  const searched = registry.all.filter(
    ({ operations: { list } }) => list !== undefined && operations.route(list).list?.searchable === true,
  );
  return [...searched.map((resource) => searchList(context, visit, resource, q)), findKeys(context, visit, q)];
}

async function searchList(
  context: ConsoleContext,
  visit: AdminVisit,
  resource: AdminResource,
  q: string,
): Promise<Group | null> {
  const { list, show } = resource.operations;
  const query = { ...resource.query, q, per_page: String(MOST_FOUND) };
  const page = await ask(context, visit, list ?? '', query);
  if (!page) return null;
  const found = page.items.map((record) => ({
    title: textAt(record, resource.title) || textOf(record.id),
    detail: detailOf(resource, record),
    href:
      show === undefined
        ? `/${resource.name}?q=${encodeURIComponent(textAt(record, resource.title))}`
        : recordPath(resource, paramsOf(resource, record)),
  }));
  return {
    kind: 'records',
    resource,
    found,
    more: page.nextCursor === null ? null : `/${resource.name}?q=${encodeURIComponent(q)}`,
  };
}

// The first text beside the title: the address of a person, the slug of a product.
function detailOf({ columns, title }: AdminResource, record: ApiRecord): string {
  const texts = columns.filter(({ field, as = 'text' }) => field !== title && ['text', 'code'].includes(as));
  return texts.map(({ field }) => textAt(record, field)).find((text) => text !== '') ?? '';
}

/** Keys by their last four characters, also when the whole key was pasted. */
async function findKeys(context: ConsoleContext, visit: AdminVisit, q: string): Promise<Group | null> {
  const { registry } = context;
  if (!registry.has('keys') || !/^\S{4,}$/.test(q)) return null;
  const filters = JSON.stringify({ ending: q.slice(-ENDING) });
  const page = await ask(context, visit, KEYS, { filters, per_page: String(MOST_FOUND) });
  if (!page) return null;
  const resource = registry.find('keys');
  const isWanted = (record: ApiRecord) =>
    q.length === ENDING || textAt(record, 'consumer_key').startsWith(q.slice(0, ENDING));
  const found = page.items.filter(isWanted).map((record) => ({
    title: textAt(record, 'consumer_key'),
    detail: `${textAt(record, 'app.display_name')} · ${textAt(record, 'user.email')}`,
    href: recordPath(resource, {
      user: valueAt(record, 'user.id') as number,
      appName: textAt(record, 'app.name'),
      id: record.id as number,
    }),
  }));
  return { kind: 'records', resource, found, more: null };
}

/** @returns null for an admin who may not ask */
async function ask(
  { operations }: ConsoleContext,
  visit: AdminVisit,
  list: string,
  query: Readonly<Record<string, unknown>>,
): Promise<ListPage<ApiRecord> | null> {
  if (!(await operations.may(list, visit.actor))) return null;
  const { page } = await within(LONGEST_MS, operations.run(list, adminCall(visit, { query })));
  return page as ListPage<ApiRecord>;
}

/** Pages and what can be made there, by their names in the language of the reader. */
async function findPages(context: ConsoleContext, visit: AdminVisit, q: string): Promise<Group[]> {
  const { registry, say } = context;
  const { locale } = visit;
  const own = OWN_PAGES.map(async (name) => ({
    title: await say(`console.${name}.title`, locale),
    detail: '',
    href: name === 'home' ? '/' : `/${name}`,
  }));
  const offered = await Promise.all(registry.all.map((resource) => offersOf(context, visit, resource)));
  const wanted = q.toLocaleLowerCase(locale);
  const matches = ({ title }: Found) => title.toLocaleLowerCase(locale).includes(wanted);
  const pages = [...(await Promise.all(own)), ...offered.flatMap((one) => one.pages)];
  const actions = offered.flatMap((one) => one.actions);
  return [
    { kind: 'pages', found: pages.filter(matches), more: null },
    { kind: 'actions', found: actions.filter(matches), more: null },
  ];
}

/** The list of a resource, and what can be made without a record around it. */
async function offersOf(context: ConsoleContext, visit: AdminVisit, resource: AdminResource) {
  const { operations, say } = context;
  const { locale } = visit;
  const { list, create } = resource.operations;
  const allowed = await listAllowed(context, visit, [list, create]);
  const [many, one] = resource.labels ?? (await namesOf(say, resource.name, locale));
  const isMade = create !== undefined && allowed.has(create) && operations.route(create).params === undefined;
  const pages = list !== undefined && allowed.has(list) ? [{ title: many, detail: '', href: `/${resource.name}` }] : [];
  const title = isMade ? await say('console.form.new', locale, { name: one }) : '';
  return { pages, actions: isMade ? [{ title, detail: '', href: `/${resource.name}/create` }] : [] };
}

const namesOf = async (say: ConsoleContext['say'], name: string, locale: string) =>
  [await say(`console.resource.${name}`, locale), await say(`console.one.${name}`, locale)] as const;
