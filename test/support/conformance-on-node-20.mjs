import { register } from 'node:module';

// The suite of MCP imports `globSync`, which Node.js 20 does not have, for a command that is not used here.
const hooks = `export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.includes('/@modelcontextprotocol/conformance/')) return loaded;
  const source = String(loaded.source).replace(/globSync as (\\w+),/, '');
  const [, name = 'none'] = /globSync as (\\w+),/.exec(String(loaded.source)) ?? [];
  return { ...loaded, source: source + ';function ' + name + '() { return []; }' };
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
