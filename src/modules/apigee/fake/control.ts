import type { ServerResponse } from 'node:http';
import { ApigeeAnswers } from './apigee-answers.js';
import type { FakeApigeeProduct, FakeApigeeTraffic } from './apigee-model.js';
import type { ApigeeOrganization } from './apigee-organization.js';
import type { FakeApigeeFailure } from './failures.js';
import type { RecordedRequest } from './read-request.js';

interface Controlled {
  readonly organization: ApigeeOrganization;
  readonly requests: readonly RecordedRequest[];
  fail(failure: FakeApigeeFailure): void;
  mend(): void;
  addProduct(product: FakeApigeeProduct): void;
}

/**
 * Controls the stand-in from other processes: `GET /stand-in/requests`, `GET /stand-in/state`, `POST` and
 * `DELETE /stand-in/failures`, `POST /stand-in/products`, `POST /stand-in/traffic`.
 * @returns whether the request was one of these
 */
export function answerControl(fake: Controlled, request: RecordedRequest, response: ServerResponse): boolean {
  const [area, part] = request.segments;
  if (area !== 'stand-in') return false;
  const answer = control(fake, `${request.method} ${part}`, request.body);
  if (answer === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  return true;
}

function control(fake: Controlled, call: string, body: unknown): unknown {
  switch (call) {
    case 'GET requests':
      return fake.requests.map(({ method, path, body: sent, at }) => ({ method, path, body: sent, at }));
    case 'GET state':
      return stateOf(fake);
    case 'POST failures':
      fake.fail(body as FakeApigeeFailure);
      return {};
    case 'DELETE failures':
      fake.mend();
      return {};
    case 'POST traffic': {
      const { at, ...calls } = body as Omit<FakeApigeeTraffic, 'at'> & { readonly at: string };
      fake.organization.traffic.push({ ...calls, at: new Date(at) });
      return {};
    }
    case 'POST products':
      fake.addProduct(body as FakeApigeeProduct);
      return {};
    default:
      return undefined;
  }
}

function stateOf({ organization }: Controlled): unknown {
  const answers = new ApigeeAnswers(organization.options.flavour, organization.name);
  return [...organization.developers.values()].map((developer) => ({
    ...answers.developer(developer),
    apps: [...developer.apps.values()].map((app) => answers.app(app)),
  }));
}
