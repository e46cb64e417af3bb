import { flag, integer, path, type OptionValues } from '../core/index.js';

export const agentsOptions = {
  enabled: flag(
    true,
    'Serve what programs that read for people ask for: llms.txt, Markdown of pages, the API catalog, MCP. Without it each answers 404.',
  ),
  mcp: flag(true, 'Serve the MCP endpoint; never without agents.enabled.'),
  mcpPath: path('/mcp', 'Where the MCP endpoint is served.'),
  mcpCalls: integer(120, 'Requests to the MCP endpoint per minute and network address.', { min: 1 }),
  maxLength: integer(
    100_000,
    'Characters of llms.txt; longer ones lose descriptions first, then products at the end.',
    {
      min: 2_000,
      max: 5_000_000,
    },
  ),
  maxFullLength: integer(1_000_000, 'The same of llms-full.txt, which loses operations first.', {
    min: 2_000,
    max: 20_000_000,
  }),
};

export type AgentsConfig = OptionValues<typeof agentsOptions>;
