import { mediaOf, mediaTypes, parameterOf, swaggerMedia, type IndexedMedia, type IndexedParameter } from './content.js';
import { LONGEST_TEXT, objectOf, readString, type JsonObject, type Lookup } from './lookup.js';

export interface IndexedResponse {
  readonly status: string;
  readonly summary: string;
  readonly description: string;
  readonly headers: readonly IndexedParameter[];
  readonly content: readonly IndexedMedia[];
  readonly links: readonly IndexedLink[];
}

/** What can be called next with what this response holds. */
export interface IndexedLink {
  readonly name: string;
  readonly description: string;
  /** An operation by its id, or by a reference. */
  readonly operation: string;
  /** Values or expressions such as `$response.body#/id`; `name` is empty for the body. */
  readonly parameters: readonly { readonly name: string; readonly value: unknown }[];
  readonly server: string;
}

export function responsesOf(operation: JsonObject, document: JsonObject, lookup: Lookup): IndexedResponse[] {
  const types = document.swagger === undefined ? null : mediaTypes(operation.produces, document.produces);
  return Object.entries(objectOf(operation.responses))
    .filter(([status]) => !status.startsWith('x-'))
    .map(([status, value]) => {
      const { summary, description, headers, content, links, schema, examples } = lookup.object(value);
      return {
        status: readString(status),
        summary: readString(summary),
        description: readString(description, LONGEST_TEXT),
        headers: Object.entries(objectOf(headers)).map(([name, header]) =>
          parameterOf({ ...lookup.object(header), name, in: 'header' }, lookup),
        ),
        content: types === null ? mediaOf(content, lookup) : swaggerMedia(schema, examples, types),
        links: linksOf(links, lookup),
      };
    });
}

function linksOf(links: unknown, lookup: Lookup): IndexedLink[] {
  return Object.entries(objectOf(links)).map(([name, declared]) => {
    const { operationId, operationRef, parameters, requestBody, description, server } = lookup.object(declared);
    const given = Object.entries(objectOf(parameters)).map(([key, value]) => ({ name: readString(key), value }));
    return {
      name: readString(name),
      description: readString(description, LONGEST_TEXT),
      operation: readString(operationId) || readString(operationRef),
      parameters: requestBody === undefined ? given : [...given, { name: '', value: requestBody }],
      server: readString(objectOf(server).url),
    };
  });
}
