/**
 * What an object of a document is: something with keywords, a map whose keys are names that its author chose, the
 * examples by their names, one of these, or data, in which nothing has a meaning: a `$ref` there is a value.
 */
export type FragmentPlace = 'keywords' | 'names' | 'examples' | 'example' | 'data';

const NAMES = new Set([
  ...['paths', 'webhooks', 'x-webhooks', 'pathItems', 'callbacks', 'additionalOperations', 'responses', 'parameters'],
  ...[
    'requestBodies',
    'headers',
    'links',
    'content',
    'mediaTypes',
    'encoding',
    'securitySchemes',
    'variables',
    'schemas',
  ],
  ...[
    'securityDefinitions',
    'definitions',
    '$defs',
    'properties',
    'patternProperties',
    'dependentSchemas',
    'dependencies',
  ],
]);
const DATA = new Set(['example', 'default', 'enum', 'const', 'value', 'dataValue', 'serializedValue']);

/** The place of what stands under `key` of an object in `place`. Items of a list are where the list is. */
export function placeBelow(place: FragmentPlace, key: string, value: unknown): FragmentPlace {
  if (place === 'data' || place === 'example') return 'data';
  if (place === 'names') return 'keywords';
  if (place === 'examples') return 'example';
  const isMap = !Array.isArray(value);
  // In a schema they are a list of values.
  if (key === 'examples') return isMap ? 'examples' : 'data';
  if (NAMES.has(key)) return isMap ? 'names' : 'keywords';
  return DATA.has(key) || key.startsWith('x-') ? 'data' : 'keywords';
}

/** Whether `$ref` is a reference there. */
export function takesReferences(place: FragmentPlace): boolean {
  return place === 'keywords' || place === 'example';
}
