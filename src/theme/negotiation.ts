import { forAgents } from '../domain/catalog/index.js';
import type { AdminActor, ConsumerActor } from '../domain/auth/index.js';
import { isHeld, type PageRequest } from '../http/index.js';
import { NotFoundError } from '../core/index.js';
import type { AboutPortal } from '../domain/site/index.js';
import { createHash } from 'node:crypto';
import { LOCALE_COOKIE } from './cookies.js';
import { prefersMarkdown } from './format/written-reference.js';
import { Download, View, type Page, type PageOutcome, type Visit } from './page.js';
import type { Match } from './router.js';

/** The language of a page. In order: the URL, the choice in this browser, the account's, the browser's preference. */
export function readLocale(
  { query, cookies, acceptsLanguage }: PageRequest,
  actor: ConsumerActor | AdminActor | null,
  { locales, defaultLocale }: Pick<AboutPortal, 'locales' | 'defaultLocale'>,
): string {
  // Admins have no language of their own.
  const own = actor?.context === 'consumer' ? actor.user.locale : null;
  const chosen = [query.get('locale')?.at(-1), cookies.get(LOCALE_COOKIE), own];
  return chosen.find((code) => isOneOf(locales, code)) ?? acceptsLanguage(locales) ?? defaultLocale;
}

function isOneOf(locales: readonly string[], code: string | null | undefined): code is string {
  return typeof code === 'string' && locales.includes(code);
}

/** Nothing is kept without asking again: a product may turn private at any time. */
const ASKED_AGAIN = { 'Cache-Control': 'private, no-cache', Vary: 'Accept, Accept-Language, Cookie' };

/** A text that clients ask for again with its `ETag`. */
export function textFile({ headers }: Pick<PageRequest, 'headers'>, body: string, type: string, more = {}): Download {
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const caching = { ...ASKED_AGAIN, ...more, ETag: `"${tag}"` };
  if (isHeld(headers['if-none-match'], tag)) return new Download('', caching, 304);
  return new Download(body, { ...caching, 'Content-Type': type });
}

/** Whether a page is there for agents alone, as those are whose address ends with `.md`. */
export function isAgentPage({ forAgents, path }: Page): boolean {
  return forAgents === true || path.endsWith('.md');
}

/** @throws NotFoundError for Markdown where agents are served nothing */
export function requireServed({ page }: Match, { segments }: PageRequest, { agents }: AboutPortal): void {
  // A host's own page may have such a name.
  const isMarkdown = segments.at(-1)?.endsWith('.md') === true && !page.path.endsWith('.md');
  if (agents === null && isMarkdown) throw new NotFoundError();
}

/** Runs a page in the form that is asked for. */
export async function runPage(page: Page, isMarkdown: boolean, visit: Visit<unknown>): Promise<PageOutcome> {
  const { request, services, locale } = visit;
  const isOn = services.site.about.agents !== null;
  if (!isOn) return withoutMarkdown(await page.handle({ ...visit, request: asBrowser(request) } as never));
  if (page.markdown && (isMarkdown || prefersMarkdown(request))) {
    const { markdown } = page;
    const body = await forAgents(() => markdown(visit as never));
    return textFile(request, body, 'text/markdown; charset=utf-8', { 'Content-Language': locale });
  }
  const isText = isAgentPage(page) || prefersMarkdown(request) || request.segments.at(-1)?.endsWith('.md') === true;
  const handle = async () => page.handle(visit as never);
  const outcome = await (isText ? forAgents(handle) : handle());
  return outcome instanceof View && page.audience === 'everyone' ? withAgents(outcome, page, visit) : outcome;
}

/** The view with the address of its Markdown, and where agents find the rest. */
function withAgents(
  { template, values, options }: View,
  page: Page,
  { request, prefix, services }: Visit<unknown>,
): View {
  const path = request.segments.map(encodeURIComponent).join('/');
  const product = values.product as { readonly isForAgents?: boolean } | null | undefined;
  if (product?.isForAgents === false) return withoutMarkdown(new View(template, values, options)) as View;
  const own = page.markdown ? { markdownAddress: `${prefix}/${path || 'index'}.md` } : {};
  const base = services.site.about.baseUrl();
  const all: Record<string, unknown> = { ...values, ...own };
  const links = [
    `<${base}${prefix}/llms.txt>; rel="llms-txt"`,
    `<${base}/.well-known/api-catalog>; rel="api-catalog"`,
    ...(typeof all.markdownAddress === 'string'
      ? [`<${base}${all.markdownAddress}>; rel="alternate"; type="text/markdown"`]
      : []),
  ];
  const headers = { ...options.headers, ...(page.markdown && { Vary: 'Accept' }), Link: links.join(', ') };
  return new View(
    template,
    {
      ...all,
      ...(typeof all.markdownAddress === 'string' && { agentsMenu: menuOf(base, all.markdownAddress, services) }),
    },
    { ...options, headers },
  );
}

/** Programs that take a question in their address. */
const CHATS = [
  { name: 'Claude', begin: 'https://claude.ai/new?q=' },
  { name: 'ChatGPT', begin: 'https://chatgpt.com/?q=' },
];

/** Ways from a page to an agent: with its Markdown, or with the portal's tools. */
function menuOf(base: string, markdownAddress: string, { site }: Visit<unknown>['services']) {
  const question = encodeURIComponent(`Read ${base}${markdownAddress} and help me to use this API.`);
  const chats = CHATS.map(({ name, begin }) => ({ name, address: begin + question }));
  const path = site.about.agents?.mcp ?? null;
  if (path === null) return { chats, mcp: null };
  const mcp = base + path;
  const server = { name: site.about.name, type: 'http', url: mcp };
  const cursor = Buffer.from(JSON.stringify({ url: mcp })).toString('base64');
  const named = encodeURIComponent(site.about.name);
  const editors = [
    {
      name: 'Cursor',
      address: `cursor://anysphere.cursor-deeplink/mcp/install?name=${named}&config=${encodeURIComponent(cursor)}`,
    },
    { name: 'VS Code', address: `vscode:mcp/install?${encodeURIComponent(JSON.stringify(server))}` },
  ];
  return { chats, mcp, editors };
}

function withoutMarkdown(outcome: PageOutcome): PageOutcome {
  if (!(outcome instanceof View) || !('markdownAddress' in outcome.values)) return outcome;
  return new View(outcome.template, { ...outcome.values, markdownAddress: null }, outcome.options);
}

function asBrowser(request: PageRequest): PageRequest {
  return prefersMarkdown(request) ? { ...request, headers: { ...request.headers, accept: 'text/html' } } : request;
}
