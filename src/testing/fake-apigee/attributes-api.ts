import { faults } from './apigee-fault.js';
import type { AppState, DeveloperState } from './apigee-model.js';
import { attributesOf, answerDone, UnknownCall, type FakeApigeeAnswer, type ApiRequest } from './api-request.js';

/** `{record}/attributes` and `{record}/attributes/{name}` of developers and apps. */
export function handleAttributes(
  record: AppState | DeveloperState,
  name: string | undefined,
  { method, body }: ApiRequest,
): FakeApigeeAnswer {
  if (name === undefined) {
    if (method === 'POST') record.attributes = attributesOf(body, 'attribute');
    else if (method !== 'GET') throw new UnknownCall();
    return answerDone({ attribute: record.attributes });
  }
  const attribute = record.attributes.find((candidate) => candidate.name === name);
  if (!attribute) throw faults.attributeUnknown(name);
  if (method === 'DELETE') record.attributes = record.attributes.filter((other) => other !== attribute);
  else if (method !== 'GET') throw new UnknownCall();
  return answerDone(attribute);
}
