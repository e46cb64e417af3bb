import { API_CATALOG_TYPE, readApiCatalog, writeLlms, writeLlmsFull, type Reading } from '../../agents/index.js';
import { viewerOf } from '../../domain/catalog/index.js';
import { NotFoundError } from '../../core/index.js';
import { textFile } from '../negotiation.js';
import { definePage, type Download, type Visit } from '../page.js';

type Guest = Visit<{ readonly id: number } | null>;
type Limits = NonNullable<Visit<unknown>['services']['site']['about']['agents']>;

const TEXT = 'text/plain; charset=utf-8';
const pageOf = (path: string, handle: (visit: Guest) => Promise<Download>) =>
  definePage({ method: 'get', path, audience: 'everyone', viewable: true, forAgents: true, handle });

/** What agents look for by convention, public, below the prefix and at the root alike. */
export const agentPages = [
  pageOf('/llms.txt', async (visit) => {
    const text = await writeLlms(await createReading(visit), limitsOf(visit).maxLength);
    return textFile(visit.request, text, TEXT, { 'Content-Language': visit.locale });
  }),
  pageOf('/llms-full.txt', async (visit) => {
    const text = await writeLlmsFull(await createReading(visit), limitsOf(visit).maxFullLength);
    return textFile(visit.request, text, TEXT, { 'Content-Language': visit.locale });
  }),
  pageOf('/.well-known/api-catalog', async (visit) => {
    const part = Number(visit.request.query.get('part')?.at(-1) ?? 1);
    if (!Number.isInteger(part) || part < 1) throw new NotFoundError();
    const catalog = await readApiCatalog(await createReading(visit), part);
    const own = `${visit.services.site.about.baseUrl()}/.well-known/api-catalog`;
    const headers = {
      Link: `<${own}>; rel="api-catalog"; type="application/linkset+json"`,
      'Access-Control-Allow-Origin': '*',
    };
    return textFile(visit.request, JSON.stringify(catalog), API_CATALOG_TYPE, headers);
  }),
];

/** Those that are served at the root as well. */
export const ROOT_PATHS: readonly string[] = agentPages.map(({ path }) => path);

/** What pages for agents are written from. */
export async function createReading(visit: Guest): Promise<Reading> {
  const { services, actor, locale, prefix } = visit;
  const messages = await visit.words('agents');
  return { services, viewer: viewerOf(actor), locale, start: services.site.about.baseUrl() + prefix, messages };
}

function limitsOf({ services }: Guest): Limits {
  const { agents } = services.site.about;
  if (agents === null) throw new NotFoundError();
  return agents;
}
