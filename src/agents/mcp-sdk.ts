// All of the official kit that the portal uses, and the only file that imports it: the build puts the kit itself into the
// compiled file (scripts/bundle.mjs), so that installations do without its packages.
export { createMcpHandler, fromJsonSchema, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
