// Runs Express Gateway with the configuration of ./gateway, and a small API behind it. Ports come from EG_HTTP_PORT,
// EG_ADMIN_PORT, EG_BACKEND_PORT and EG_REDIS_PORT.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const backend = createServer((request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ path: request.url }));
});
backend.listen(Number(process.env.EG_BACKEND_PORT ?? 9000), '127.0.0.1');

const gateway = createRequire(import.meta.url)('express-gateway');
await gateway()
  .load(fileURLToPath(new URL('./gateway', import.meta.url)))
  .run();

// The gateway knows a product as a scope; one that is there already is no fault.
const admin = `http://127.0.0.1:${process.env.EG_ADMIN_PORT ?? 9876}`;
for (const scope of ['payments', 'accounts']) await fetch(`${admin}/scopes/${scope}`, { method: 'PUT' });
console.log('express-gateway is ready');
