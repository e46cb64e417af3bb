import { readWorkflow, workflowListMarkdown, workflowMarkdown, workflowText } from '../../agents/index.js';
import type { ConsumerActor } from '../../domain/auth/index.js';
import { viewerOf } from '../../domain/catalog/index.js';
import { isHeld } from '../../http/index.js';
import { renderGuide } from '../format/guide-markdown.js';
import { definePage, Download, View, type PageOutcome, type Visit } from '../page.js';
import { createReading } from './for-agents.js';

type Guest = Visit<ConsumerActor | null>;

/** The workflows of a product, each drawn as a guide, and their document as a file. */
export const workflowPages = [
  definePage({
    method: 'get',
    path: '/products/:slug/workflows',
    audience: 'everyone',
    viewable: true,
    handle: showWorkflows,
    markdown: async (visit: Guest) => workflowListMarkdown(await createReading(visit), visit.params.slug ?? ''),
  }),
  definePage({
    method: 'get',
    path: '/products/:slug/workflows/:workflow',
    audience: 'everyone',
    viewable: true,
    handle: showWorkflow,
    markdown: async (visit: Guest) =>
      workflowText(await createReading(visit), visit.params.slug ?? '', visit.params.workflow ?? ''),
  }),
];

async function showWorkflows(visit: Guest): Promise<PageOutcome> {
  const { services, actor, locale, params, request } = visit;
  const product = await services.catalog.products.find(params.slug ?? '', viewerOf(actor), locale);
  const { workflows: store } = services.catalog.products;
  if (request.query.has('download'))
    return downloadOf(request.headers, product.slug, await store.readDocument(product));
  const { workflows: title = '' } = await visit.words('agents');
  const workflows = await store.list(product);
  return new View(
    'products/workflows',
    { product, workflows, sheets: ['guides.css'] },
    { heading: `${title} · ${product.name}` },
  );
}

function downloadOf(
  headers: Guest['request']['headers'],
  slug: string,
  { hash, document }: { readonly hash: string; readonly document: string },
): Download {
  const common = { ETag: `"${hash}"`, 'Cache-Control': 'private, no-cache' };
  if (isHeld(headers['if-none-match'], hash)) return new Download('', common, 304);
  return new Download(document, {
    ...common,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Disposition': `attachment; filename="${slug}.arazzo.json"`,
  });
}

async function showWorkflow(visit: Guest): Promise<View> {
  const { params, prefix } = visit;
  const reading = await createReading(visit);
  const read = await readWorkflow(reading, params.slug ?? '', params.workflow ?? '');
  const text = workflowMarkdown({ start: prefix, messages: reading.messages }, read, '');
  const messages = await visit.words('guides');
  const { html } = renderGuide(text, { messages, pageOf: () => null, operations: [] });
  const { product, workflow } = read;
  const title = workflow.summary || workflow.id;
  return new View(
    'products/workflow',
    {
      ...{ product, title, count: workflow.steps.length, sheets: ['guides.css'] },
      article: { toHTML: () => html },
    },
    { heading: `${title} · ${product.name}` },
  );
}
