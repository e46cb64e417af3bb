import { mcpEndpoint } from '../agents/index.js';
import type { PortalServices } from '../domain/services.js';
import type { Endpoint } from '../http/index.js';
import type { LimitStore } from '../limits/index.js';
import { Dictionary, TemplateFiles } from '../templates/index.js';
import { wordsOf } from '../theme/index.js';
import type { DomainBase } from './base.js';

/** The MCP endpoint, where agents are served one. */
export function createAgentEndpoints(base: DomainBase, services: PortalServices, limits: LimitStore): Endpoint[] {
  const { config, logger, folders, defaultLocale } = base;
  const { agents, links } = services.site.about;
  const path = agents?.mcp ?? null;
  if (path === null || links.theme === null) return [];
  const dictionary = new Dictionary(new TemplateFiles(folders), defaultLocale, config.app.env !== 'development');
  const most = config.agents.mcpCalls;
  return [
    mcpEndpoint({
      ...{ path, pages: links.theme, services, logger, origins: config.portalApi.cors.origins },
      count: async (key, window) => {
        const outcome = await limits.consume(key, most, window);
        return outcome.granted ? null : outcome.retryAfter;
      },
      words: async (section, locale) => wordsOf(await dictionary.messages(locale), section),
    }),
  ];
}
