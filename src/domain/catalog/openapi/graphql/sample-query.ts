import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
  isUnionType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
} from 'graphql';
import type { JsonObject } from '../lookup.js';

/** Bounds of one query, so that types that refer to each other many times over cannot make it long. */
const DEEPEST = 3;
const MOST_LEAVES = 10;
const MOST_BRANCHES = 2;
const MOST_FIELDS = 40;
const MOST_VALUES = 200;
/** What a field of many is asked for; some APIs refuse without it. */
const FIRST = 10;

type Field = GraphQLField<unknown, unknown>;

/** A query of one root field that the schema takes, with values for its variables and an answer of its form. */
export interface SampleQuery {
  readonly text: string;
  readonly variables: JsonObject;
  readonly answer: JsonObject;
}

/** @param kind the word that it begins with */
export function writeQuery(kind: string, field: Field): SampleQuery {
  const writer = new QueryWriter();
  const given = field.args.filter((argument) => isRequiredArgument(argument) || isFirst(argument));
  const variables = given.map((argument) => [argument.name, isFirst(argument) ? FIRST : writer.valueOf(argument.type)]);
  const named = given.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const passed = given.map(({ name }) => `${name}: $${name}`).join(', ');
  const { lines, answer } = writer.branch(field.name, passed, field.type, []);
  const title = field.name.charAt(0).toUpperCase() + field.name.slice(1);
  const text = [`${kind} ${title}${brackets(named)} {`, ...lines.map((line) => `  ${line}`), '}'].join('\n');
  return { text, variables: Object.fromEntries(variables) as JsonObject, answer: { data: { [field.name]: answer } } };
}

const brackets = (inside: string) => (inside === '' ? '' : `(${inside})`);

const isFirst = ({ name, type, defaultValue }: GraphQLArgument) =>
  name === 'first' && String(type) === 'Int' && defaultValue === undefined;

interface Branch {
  readonly lines: readonly string[];
  readonly answer: unknown;
}

class QueryWriter {
  private fields = 0;
  private values = 0;

  /** A field with its selection. @param above types around it, which are not selected again */
  branch(name: string, passed: string, type: GraphQLOutputType, above: readonly GraphQLNamedType[]): Branch {
    this.fields += 1;
    const named = getNamedType(type);
    const head = name + brackets(passed);
    if (isLeafType(named)) return { lines: [head], answer: wrapInLists(type, this.example(named)) };
    const { lines, answer } = this.selection(named, above);
    return { lines: [`${head} {`, ...lines.map((line) => `  ${line}`), '}'], answer: wrapInLists(type, answer) };
  }

  private selection(
    type: GraphQLNamedType,
    above: readonly GraphQLNamedType[],
  ): { lines: string[]; answer: JsonObject } {
    if (isUnionType(type)) {
      const [first] = type.getTypes();
      if (!first || above.length >= DEEPEST) return TYPE_NAME;
      const { lines, answer } = this.selection(first, [...above, type]);
      const inside = [`... on ${first.name} {`, ...lines.map((line) => `  ${line}`), '}'];
      return { lines: ['__typename', ...inside], answer: { __typename: first.name, ...answer } };
    }
    const fields = Object.values('getFields' in type ? (type.getFields() as Record<string, Field>) : {});
    const askable = fields.filter((field) => field.deprecationReason == null && !field.args.some(isRequiredArgument));
    const isLeaf = (field: Field) => isLeafType(getNamedType(field.type));
    const chosen = askable.filter(isLeaf).slice(0, MOST_LEAVES);
    const way = [...above, type];
    const branches = askable.filter((field) => !isLeaf(field) && !way.includes(getNamedType(field.type)));
    // Both lead to the same, `nodes` sooner.
    const hasNodes = branches.some(({ name }) => name === 'nodes');
    const others = branches.filter(({ name }) => !(hasNodes && name === 'edges')).slice(0, MOST_BRANCHES);
    if (way.length < DEEPEST) chosen.push(...others);
    const parts = chosen.flatMap((field) => {
      if (this.fields >= MOST_FIELDS) return [];
      const first = field.args.some(isFirst) ? `first: ${FIRST}` : '';
      return [[field.name, this.branch(field.name, first, field.type, way)] as const];
    });
    if (parts.length === 0) return TYPE_NAME;
    const answer = Object.fromEntries(parts.map(([name, part]) => [name, part.answer]));
    return { lines: parts.flatMap(([, { lines }]) => lines), answer };
  }

  /** A value that an argument takes; of an input only what it asks for. */
  valueOf(type: GraphQLInputType): unknown {
    this.values += 1;
    const bare = getNullableType(type);
    if (isListType(bare)) return this.values > MOST_VALUES ? [] : [this.valueOf(bare.ofType)];
    if (!isInputObjectType(bare)) return this.example(bare);
    const all = Object.values(bare.getFields());
    const asked = bare.isOneOf ? all.slice(0, 1) : all.filter(isRequiredInputField);
    const given = this.values > MOST_VALUES ? [] : asked;
    return Object.fromEntries(given.map((field) => [field.name, this.valueOf(field.type)]));
  }

  private example(type: GraphQLNamedType): unknown {
    if (isEnumType(type)) {
      const values = type.getValues();
      return (values.find(({ deprecationReason: reason }) => reason == null) ?? values[0])?.name;
    }
    return EXAMPLES.find(([names]) => names.test(type.name))?.[1] ?? 'text';
  }
}

const TYPE_NAME = { lines: ['__typename'], answer: { __typename: '…' } };

/** Names of scalars → a value of theirs; what is not among them is text. */
const EXAMPLES: readonly (readonly [names: RegExp, value: unknown])[] = [
  [/^ID$/, '1'],
  [/^boolean$/i, true],
  [/date.?time|timestamp|instant/i, '2026-01-31T12:00:00Z'],
  [/date/i, '2026-01-31'],
  [/ur[il]$/i, 'https://example.com'],
  [/json|object|^map/i, {}],
  [/float|decimal|double/i, 1.5],
  [/int|long|number/i, 1],
];

function wrapInLists(type: GraphQLOutputType, value: unknown): unknown {
  const bare = getNullableType(type);
  return isListType(bare) ? [wrapInLists(bare.ofType, value)] : value;
}
