import type {
  Deprecation,
  DocumentIndex,
  OperationDates,
  OutlineOperation,
  ViewedProduct,
} from '../../domain/catalog/index.js';
import { formatDate } from '../../templates/index.js';
import type { PortalServices } from '../../domain/services.js';
import type { Visit } from '../page.js';

/** What is said of an operation beside its address: since when it is there, when it changed, when it ends. */
export interface OperationMark {
  readonly text: string;
  readonly tone: 'plain' | 'warn' | 'bad';
  /** Where it leads on: a guide, what replaces it. */
  readonly links: readonly { readonly text: string; readonly href: string }[];
}

/** By anchor; operations of which nothing is known are missing. */
export type OperationMarks = Readonly<Record<string, readonly OperationMark[]>>;

/** The deprecations of a product that concern the version that is shown. */
export interface ShownEndings {
  readonly version: Deprecation | null;
  readonly operations: ReadonlyMap<string, Deprecation>;
}

/** Of one page; a document in which everything changed says it by its changelog. */
const MOST_MARKED = 2_000;

type Reading = Pick<Visit<unknown>, 'locale' | 'words'> & { readonly services: Pick<PortalServices, 'catalog'> };

export async function readEndings({ services }: Reading, product: ViewedProduct): Promise<ShownEndings> {
  const name = product.version?.name ?? null;
  const all = await services.catalog.deprecations.listPublished(product);
  const shown = all.filter(({ version }) => version === null || version === name);
  const ofOperations = shown.filter(({ method }) => method !== null).reverse();
  return {
    version: shown.find(({ version, method }) => version !== null && method === null) ?? null,
    operations: new Map(ofOperations.map((one) => [`${one.method} ${one.path}`, one])),
  };
}

/** @param since what came or changed later is marked as new to the reader */
export async function readOperationMarks(
  reading: Reading,
  product: ViewedProduct,
  { outline }: Pick<DocumentIndex, 'outline'>,
  endings: ShownEndings,
  since: Date | null = null,
): Promise<OperationMarks> {
  const { services, locale } = reading;
  const { id, specHash, version } = product;
  const none: OperationDates = {};
  const { history } = services.catalog;
  const dates = specHash === null ? none : await history.operationsOf(id, specHash, version?.id ?? null);
  const messages = await reading.words('marks');
  const write = writerIn(messages, locale);
  const marked = outline.operations
    .filter(({ isWebhook }) => !isWebhook)
    .map((operation) => {
      const name = nameOf(operation);
      const own = Object.hasOwn(dates, name) ? dates[name] : undefined;
      return [
        operation.anchor,
        [...write.news(own, since), ...write.dates(own), ...write.ending(endings.operations.get(name))],
      ] as const;
    });
  return Object.fromEntries(marked.filter(([, marks]) => marks.length > 0).slice(0, MOST_MARKED));
}

const nameOf = ({ method, path }: OutlineOperation) => `${method.toUpperCase()} ${path}`;

function writerIn(messages: Readonly<Record<string, string>>, locale: string) {
  const day = (at: Date | string) => formatDate(new Date(at), locale, 'date');
  const say = (key: string, values: Readonly<Record<string, string>> = {}) =>
    (messages[key] ?? key).replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
  return {
    news(dates: OperationDates[string] | undefined, since: Date | null): OperationMark[] {
      const last = [dates?.added, dates?.changed].some((date) => date && since && new Date(date.at) > since);
      return last ? [{ text: say('new'), tone: 'plain' as const, links: [] }] : [];
    },
    dates(dates: OperationDates[string] | undefined): OperationMark[] {
      return (['added', 'changed'] as const).flatMap((key) => {
        const date = dates?.[key];
        if (!date) return [];
        const text =
          date.in === ''
            ? say(`${key}-on`, { date: day(date.at) })
            : say(key, { version: date.in, date: day(date.at) });
        return [{ text, tone: 'plain' as const, links: [] }];
      });
    },
    ending(ending: Deprecation | undefined): OperationMark[] {
      if (!ending) return [];
      const { state, deprecatedAt, sunsetAt, guideUrl, replacementUrl } = ending;
      const values = { from: day(deprecatedAt), until: sunsetAt ? day(sunsetAt) : '' };
      const key = state === 'retired' ? 'ended' : sunsetAt ? 'ends' : 'deprecated';
      const links = [
        { text: say('guide'), href: guideUrl },
        { text: say('replacement'), href: replacementUrl },
      ].filter((link): link is { text: string; href: string } => link.href !== null);
      return [{ text: say(key, values), tone: state === 'retired' ? 'bad' : 'warn', links }];
    },
  };
}
