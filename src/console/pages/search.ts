import { ValidationError, type ListPage } from '../../core/index.js';
import { definePage, View, type Page } from '../../theme/index.js';
import { paramsOf, recordPath } from '../console-resource.js';
import { callOf, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import { textAt, textOf, valueAt, type AdminResource, type ApiRecord } from '../resource.js';

/** Of each kind; its list has the rest. */
const MOST_FOUND = 5;
const LONGEST = 200;
const ENDING = 4;

interface Found {
  readonly title: string;
  readonly detail: string;
  /** Below the prefix. */
  readonly href: string;
}

interface Group {
  /** null for pages of the console. */
  readonly resource: AdminResource | null;
  readonly found: readonly Found[];
  /** The list with everything that was found; null when this is everything. */
  readonly more: string | null;
}

/** One search over everything that an admin may see; also what the command palette asks. */
export function searchPage(context: ConsoleContext): Page {
  const handle = async (visit: AdminVisit) => {
    const q = (visit.request.query.get('q')?.at(-1) ?? '').trim().slice(0, LONGEST);
    const groups = await Promise.all([findPages(context, visit, q), ...(q === '' ? [] : findRecords(context, visit, q))]);
    return new View('console/search', { q, groups: groups.filter((group) => group !== null && group.found.length > 0) });
  };
  return definePage({ method: 'get', path: '/search', audience: 'admins', handle });
}

function findRecords(context: ConsoleContext, visit: AdminVisit, q: string): Promise<Group | null>[] {
  const { operations, registry } = context;
  const searched = registry.all.filter(
    ({ operations: { list } }) => list !== undefined && operations.route(list).list?.searchable === true,
  );
  return [...searched.map((resource) => searchList(context, visit, resource, q)), findKeys(context, visit, q)];
}

async function searchList(
  { operations }: ConsoleContext,
  visit: AdminVisit,
  resource: AdminResource,
  q: string,
): Promise<Group | null> {
  const { list, show } = resource.operations;
  const query = { ...resource.query, q, per_page: String(MOST_FOUND) };
  const page = await ask({ operations }, visit, list ?? '', query);
  if (!page) return null;
  const found = page.items.map((record) => ({
    title: textAt(record, resource.title) || textOf(record.id),
    detail: detailOf(resource, record),
    href:
      show === undefined
        ? `/${resource.name}?q=${encodeURIComponent(textAt(record, resource.title))}`
        : recordPath(resource, paramsOf(resource, record)),
  }));
  return { resource, found, more: page.nextCursor === null ? null : `/${resource.name}?q=${encodeURIComponent(q)}` };
}

// The first text beside the title: the address of a person, the slug of a product.
function detailOf({ columns, title }: AdminResource, record: ApiRecord): string {
  const texts = columns.filter(({ field, as = 'text' }) => field !== title && ['text', 'code'].includes(as));
  return texts.map(({ field }) => textAt(record, field)).find((text) => text !== '') ?? '';
}

/** Keys by their last four characters. */
async function findKeys({ operations, registry }: ConsoleContext, visit: AdminVisit, q: string): Promise<Group | null> {
  const list = 'listAllCredentials';
  if (!operations.has(list) || !registry.has('keys') || !/^\S{4,}$/.test(q)) return null;
  const filters = JSON.stringify({ ending: q.slice(-ENDING) });
  const page = await ask({ operations }, visit, list, { filters, per_page: String(MOST_FOUND) });
  if (!page) return null;
  const resource = registry.find('keys');
  const found = page.items.map((record) => ({
    title: textAt(record, 'consumer_key'),
    detail: `${textAt(record, 'app.display_name')} · ${textAt(record, 'user.email')}`,
    href: recordPath(resource, {
      user: valueAt(record, 'user.id') as number,
      appName: textAt(record, 'app.name'),
      id: record.id as number,
    }),
  }));
  return { resource, found, more: null };
}

/** @returns null for who may not ask, and for a text that the list does not take */
async function ask(
  { operations }: Pick<ConsoleContext, 'operations'>,
  visit: AdminVisit,
  list: string,
  query: Readonly<Record<string, string>>,
): Promise<ListPage<ApiRecord> | null> {
  if (!(await operations.may(list, visit.actor))) return null;
  try {
    return (await operations.run(list, callOf(visit, { query }))).page as ListPage<ApiRecord>;
  } catch (error) {
    if (error instanceof ValidationError) return null;
    throw error;
  }
}

/** Pages and what can be created, by their names in the language of the reader. */
async function findPages({ operations, registry, say }: ConsoleContext, visit: AdminVisit, q: string): Promise<Group> {
  const { locale, actor } = visit;
  const own = ['home', 'inbox', 'account'].map(async (name) => ({
    title: await say(`console.${name}.title`, locale),
    detail: '',
    href: name === 'home' ? '/' : `/${name}`,
  }));
  const lists = registry.all.map(async (resource): Promise<Found[]> => {
    const { list, create } = resource.operations;
    const may = async (operation: string | undefined) =>
      operation !== undefined && (await operations.may(operation, actor));
    const [many, one] = resource.labels ?? (await namesOf(say, resource.name, locale));
    const pages: Found[] = [];
    if (await may(list)) pages.push({ title: many, detail: '', href: `/${resource.name}` });
    if (create !== undefined && operations.route(create).params === undefined && (await may(create))) {
      const title = await say('console.form.new', locale, { name: one });
      pages.push({ title, detail: '', href: `/${resource.name}/create` });
    }
    return pages;
  });
  const all = [...(await Promise.all(own)), ...(await Promise.all(lists)).flat()];
  const wanted = q.toLocaleLowerCase(locale);
  return {
    resource: null,
    found: all.filter(({ title }) => title.toLocaleLowerCase(locale).includes(wanted)),
    more: null,
  };
}

const namesOf = async (say: ConsoleContext['say'], name: string, locale: string) =>
  [await say(`console.resource.${name}`, locale), await say(`console.one.${name}`, locale)] as const;
