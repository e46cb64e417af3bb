import {
  isSpecifiedDirective,
  print,
  valueFromASTUntyped,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import type { FoundAction } from '../asyncapi.js';
import { LONGEST_TEXT, objectOf, readString, type JsonObject } from '../lookup.js';
import { parseSchema } from './parse-schema.js';
import { writeQuery } from './sample-query.js';
import {
  directivesOf,
  isDeprecated,
  parameterOfArgument,
  proseOfType,
  schemaOfType,
  typeSchemas,
} from './type-schemas.js';

/**
 * A GraphQL schema in the terms that the index knows: its types as the schemas of a document, its root fields as operations.
 * @throws SpecRefusal
 */
export function describeGraphql(text: string): { document: JsonObject; actions: FoundAction[] } {
  const schema = parseSchema(text);
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  const present = roots.flatMap(([kind, root]) => (root ? [{ kind, root }] : []));
  const { servers, securitySchemes } = callFacts(schema);
  const document = {
    info: { title: 'GraphQL', version: '', description: introOf(schema) },
    ...{ servers, security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })) },
    tags: present.map(({ root }) => ({ name: root.name, description: root.description ?? '' })),
    components: { schemas: typeSchemas(schema), securitySchemes },
  };
  return { document, actions: present.flatMap(({ kind, root }) => actionsOf(kind, root)) };
}

function actionsOf(kind: string, root: GraphQLObjectType): FoundAction[] {
  return Object.values(root.getFields()).map((field) => actionOf(kind, root, field));
}

function actionOf(kind: string, root: GraphQLObjectType, field: GraphQLField<unknown, unknown>): FoundAction {
  const { text, variables, answer } = writeQuery(kind, field);
  const example = { name: '', summary: '', description: '', value: answer, url: '' };
  const content = { type: 'application/json', schema: schemaOfType(field.type), examples: [example], encoding: {} };
  return {
    ...{ method: kind, path: field.name, id: `${kind}-${field.name}`, summary: '', tags: [root.name] },
    isDeprecated: isDeprecated(field),
    operation: {
      ...{ id: '', summary: '', pathSummary: '', pathDescription: '', servers: [], security: null, body: null },
      ...{ description: proseOfType({ ...field, args: [] }), callbacks: [], externalDocs: null },
      parameters: field.args.map(parameterOfArgument),
      responses: [
        ...[{ status: String(field.type), summary: '', description: '', headers: [], content: [content], links: [] }],
      ],
      codeSamples: [{ lang: 'graphql', label: 'GraphQL', source: text }],
      query: { text, variables },
    },
  };
}

/** What the schema says of itself, and the directives that it declares. */
function introOf(schema: GraphQLSchema): string {
  const own = schema.getDirectives().filter((directive) => !isSpecifiedDirective(directive));
  const declared = own.flatMap(({ astNode }) => (astNode ? [print(astNode)] : [])).join('\n\n');
  const code = declared === '' ? '' : `\`\`\`\`\`graphql\n${declared.replaceAll('`````', '')}\n\`\`\`\`\``;
  return readString([schema.description ?? '', code].filter(Boolean).join('\n\n'), LONGEST_TEXT);
}

/**
 * Where the API answers and what it asks for. The schema language has no words for that, so directives of the schema say it:
 * `@server(url:, description:)`, `@apiKey(name:, in:)` and `@bearer`.
 */
function callFacts(schema: GraphQLSchema) {
  const said = directivesOf(schema).map(({ name, arguments: given = [] }) => {
    const values = given.map((argument) => [argument.name.value, valueFromASTUntyped(argument.value)] as const);
    return { directive: name.value, values: objectOf(Object.fromEntries(values)) };
  });
  const valuesOf = (wanted: string) => said.flatMap(({ directive, values }) => (directive === wanted ? [values] : []));
  const [key] = valuesOf('apiKey');
  const [bearer] = valuesOf('bearer');
  return {
    servers: valuesOf('server').map(({ url, description }) => ({ url, description })),
    securitySchemes: {
      ...(key && { key: { type: 'apiKey', name: key.name, in: readString(key.in).toLowerCase() || 'header' } }),
      ...(bearer && { token: { type: 'http', scheme: 'bearer' } }),
    },
  };
}
