/** `breaking` can fail a caller that kept to the old document, `warning` may, `info` cannot. */
export type ChangeLevel = 'breaking' | 'warning' | 'info';

/** What a change does to the values that are allowed; `unknown` cannot be told from the documents. */
export type Effect = 'narrows' | 'widens' | 'incomparable' | 'unknown' | 'none';

export const ON_REQUESTS: Readonly<Record<Effect, ChangeLevel>> = {
  narrows: 'breaking',
  incomparable: 'breaking',
  unknown: 'warning',
  widens: 'info',
  none: 'info',
};
export const ON_RESPONSES: typeof ON_REQUESTS = { ...ON_REQUESTS, narrows: 'info', widens: 'breaking' };

/** Keywords with a number, as oasdiff names them in its rules. */
export const BOUNDS = {
  maximum: 'max',
  minimum: 'min',
  exclusiveMaximum: 'exclusive-max',
  exclusiveMinimum: 'exclusive-min',
  maxLength: 'max-length',
  minLength: 'min-length',
  maxItems: 'max-items',
  minItems: 'min-items',
  maxProperties: 'max-properties',
  minProperties: 'min-properties',
  maxContains: 'max-contains',
  minContains: 'min-contains',
} as const;

/** Keywords of which only the presence is compared; what they hold is another schema. */
export const PRESENCES = {
  if: 'if',
  then: 'then',
  else: 'else',
  contains: 'contains',
  propertyNames: 'property-names',
  unevaluatedItems: 'unevaluated-items',
  unevaluatedProperties: 'unevaluated-properties',
  contentSchema: 'content-schema',
} as const;

/** Keywords that hold schemas by name. */
export const SCHEMA_MAPS = { dependentSchemas: 'dependent-schema', patternProperties: 'pattern-property' } as const;

export const BODY_EFFECTS: Readonly<Record<string, Effect>> = {
  'type-changed': 'incomparable',
  'type-generalized': 'widens',
  'list-of-types-widened': 'widens',
  'list-of-types-narrowed': 'narrows',
  'became-nullable': 'widens',
  'became-not-nullable': 'narrows',
  'const-added': 'narrows',
  'const-removed': 'widens',
  'const-changed': 'incomparable',
  'default-value-added': 'none',
  'default-value-removed': 'none',
  'default-value-changed': 'none',
  'unique-items-unset': 'widens',
  'multiple-of-set': 'narrows',
  'multiple-of-unset': 'widens',
  'multiple-of-changed': 'incomparable',
  'all-of-added': 'narrows',
  'all-of-removed': 'widens',
  'all-of-added-annotation-only': 'none',
  'all-of-removed-annotation-only': 'none',
  'one-of-added': 'widens',
  'one-of-removed': 'narrows',
  'any-of-added': 'widens',
  'any-of-removed': 'narrows',
  'dependent-required-added': 'narrows',
  'dependent-required-removed': 'widens',
  'dependent-required-changed': 'incomparable',
  'content-media-type-changed': 'incomparable',
  'content-encoding-changed': 'incomparable',
  // Places of a list are counted as oasdiff does: one more is more to take, one less is less.
  'prefix-items-added': 'widens',
  'prefix-items-removed': 'narrows',
  'additional-properties-forbidden': 'narrows',
  'additional-properties-allowed': 'widens',
  ...Object.fromEntries(
    ['added', 'removed', 'property-name-changed', 'mapping-added', 'mapping-deleted', 'mapping-changed'].map((what) => [
      `discriminator-${what}`,
      'none' as const,
    ]),
  ),
  ...Object.fromEntries(
    [...Object.values(PRESENCES), ...Object.values(SCHEMA_MAPS)].flatMap((name) => [
      [`${name}-added`, 'narrows' as const],
      [`${name}-removed`, 'widens' as const],
    ]),
  ),
};
