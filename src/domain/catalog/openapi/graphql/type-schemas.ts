import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  print,
  type ConstDirectiveNode,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
} from 'graphql';
import type { IndexedParameter } from '../content.js';
import { LONGEST_TEXT, readString, type JsonObject } from '../lookup.js';

const AT = '#/components/schemas/';
const BUILT_IN: Readonly<Record<string, string>> = {
  ...{ Int: 'integer', Float: 'number', String: 'string', Boolean: 'boolean', ID: 'string' },
};
/** Directives that are told in other ways. */
const TOLD = new Set(['deprecated', 'specifiedBy']);
const LONGEST_CODE = 400;

interface Described {
  readonly description?: string | null | undefined;
  readonly deprecationReason?: string | null | undefined;
  readonly astNode?: WithDirectives | null | undefined;
  readonly extensionASTNodes?: readonly WithDirectives[];
  readonly args?: readonly GraphQLArgument[];
}

interface WithDirectives {
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

/** The types of a schema by their names, as JSON Schema that says the type of each place in the words of GraphQL. */
export function typeSchemas(schema: GraphQLSchema): JsonObject {
  const own = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  return Object.fromEntries(
    own.map((type) => [type.name, { ...membersOf(type, schema), description: proseOfType(type) }]),
  );
}

function membersOf(type: GraphQLNamedType, schema: GraphQLSchema): JsonObject {
  if (isScalarType(type)) {
    const { specifiedByURL: url } = type;
    return { format: 'scalar', ...(typeof url === 'string' && { externalDocs: { url } }) };
  }
  if (isEnumType(type)) return enumSchema(type);
  if (isUnionType(type)) return { oneOf: type.getTypes().map(referenceTo) };
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const required = fields.filter(isRequiredInputField).map(({ name }) => name);
    return { type: 'object', properties: propertiesOf(fields), ...(required.length > 0 && { required }) };
  }
  const properties = { type: 'object', properties: propertiesOf(Object.values(type.getFields())) };
  return isInterfaceType(type) ? { ...properties, anyOf: schema.getPossibleTypes(type).map(referenceTo) } : properties;
}

function enumSchema(type: GraphQLEnumType): JsonObject {
  const values = type.getValues();
  const meanings = values.map(proseOfType);
  return {
    ...{ type: 'string', enum: values.map(({ name }) => name) },
    ...(meanings.some((text) => text !== '') && { 'x-enumDescriptions': meanings }),
  };
}

const referenceTo = ({ name }: GraphQLNamedType) => ({ $ref: AT + name });

type AnyField = GraphQLField<unknown, unknown> | GraphQLInputField;

function propertiesOf(fields: readonly AnyField[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [field.name, placeSchema(field)]));
}

function placeSchema(field: AnyField | GraphQLArgument): JsonObject {
  const description = proseOfType(field);
  return {
    ...schemaOfType(field.type),
    ...(description !== '' && { description }),
    ...(isDeprecated(field) && { deprecated: true }),
    ...defaultOf(field.astNode),
  };
}

function defaultOf(node: AnyField['astNode']): JsonObject {
  const value = node && 'defaultValue' in node ? node.defaultValue : undefined;
  return value ? { default: print(value).slice(0, LONGEST_CODE) } : {};
}

/** The type at some place: `x-graphql-type` is how GraphQL writes it. */
export function schemaOfType(type: GraphQLType): JsonObject {
  const label = String(type);
  const bare = isNonNullType(type) ? type.ofType : type;
  if (isListType(bare)) return { type: 'array', items: schemaOfType(bare.ofType), 'x-graphql-type': label };
  const known = isSpecifiedScalarType(bare) ? { type: BUILT_IN[bare.name] } : referenceTo(bare);
  return { ...known, 'x-graphql-type': label };
}

/** An argument of a root field, as operations have parameters. */
export function parameterOfArgument(argument: GraphQLArgument): IndexedParameter {
  return {
    ...{ name: argument.name, in: 'argument', required: isRequiredArgument(argument) },
    ...{
      deprecated: isDeprecated(argument),
      allowEmptyValue: false,
      description: proseOfType(argument),
      examples: [],
    },
    schema: { ...schemaOfType(argument.type), ...defaultOf(argument.astNode) },
    ...{ style: 'simple', explode: false, allowReserved: false, mediaType: '' },
  };
}

export const isDeprecated = ({ deprecationReason: reason }: Described): boolean => typeof reason === 'string';

/** What is said of a type, field, argument or value, as Markdown: description, directives, arguments. */
export function proseOfType(described: Described): string {
  const { description, deprecationReason: reason, args = [] } = described;
  const deprecated = typeof reason === 'string' ? `\`@deprecated\` ${reason}` : '';
  const directives = directivesOf(described).filter(({ name }) => !TOLD.has(name.value));
  const parts = [
    description ?? '',
    deprecated,
    directives.map((directive) => codeSpan(print(directive))).join(' '),
    args.map(argumentLine).join('\n'),
  ];
  return readString(parts.filter((part) => part !== '').join('\n\n'), LONGEST_TEXT);
}

export function directivesOf({ astNode, extensionASTNodes = [] }: Described): ConstDirectiveNode[] {
  return [astNode, ...extensionASTNodes].flatMap((node) => node?.directives ?? []);
}

function argumentLine(argument: GraphQLArgument): string {
  const { default: usual } = defaultOf(argument.astNode);
  const written = `${argument.name}: ${String(argument.type)}${typeof usual === 'string' ? ` = ${usual}` : ''}`;
  const text = proseOfType(argument).replaceAll('\n', '\n  ');
  return `- ${codeSpan(written)}${text === '' ? '' : ` ${text}`}`;
}

/** Code within Markdown, whatever it holds. */
function codeSpan(text: string): string {
  const plain = text.replace(/\s+/g, ' ').slice(0, LONGEST_CODE);
  const longest = Math.max(0, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return longest === 0 ? `${marks}${plain}${marks}` : `${marks} ${plain} ${marks}`;
}
