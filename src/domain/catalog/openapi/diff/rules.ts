/** `breaking` can fail a caller that kept to the old document, `warning` may, `info` cannot. */
export type ChangeLevel = 'breaking' | 'warning' | 'info';

/** What a change does to the values that are allowed; `unknown` cannot be told from the documents. */
type Effect = 'narrows' | 'widens' | 'incomparable' | 'unknown' | 'none';

const ON_REQUESTS: Readonly<Record<Effect, ChangeLevel>> = {
  narrows: 'breaking',
  incomparable: 'breaking',
  unknown: 'warning',
  widens: 'info',
  none: 'info',
};
const ON_RESPONSES: typeof ON_REQUESTS = { ...ON_REQUESTS, narrows: 'info', widens: 'breaking' };

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

const BODY_EFFECTS: Readonly<Record<string, Effect>> = {
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

/** Rules of one place: `prefix-what`, with the level that the effect has in that direction. */
function rulesOf(prefix: string, effects: Readonly<Record<string, Effect>>): [string, ChangeLevel][] {
  const levels = prefix.startsWith('response') ? ON_RESPONSES : ON_REQUESTS;
  return Object.entries(effects).map(([what, effect]) => [`${prefix}-${what}`, levels[effect]]);
}

/** A bound set, unset, raised and lowered. */
function boundEffects(names: readonly string[], actions: readonly string[]): Record<string, Effect> {
  const effects: Record<string, Effect> = {};
  for (const name of names) {
    const isUpper = name.includes('max');
    const all: Record<string, Effect> = {
      set: 'narrows',
      unset: 'widens',
      increased: isUpper ? 'widens' : 'narrows',
      decreased: isUpper ? 'narrows' : 'widens',
    };
    for (const action of actions) effects[`${name}-${action}`] = all[action] as Effect;
  }
  return effects;
}

const names = Object.values(BOUNDS);
const all = ['set', 'unset', 'increased', 'decreased'];
const bothSides = (...whats: readonly string[]) =>
  ['request', 'response'].flatMap((side) => whats.map((what) => `${side}-property-${what}`));
const withLevel = (level: ChangeLevel, ids: readonly string[]): [string, ChangeLevel][] => ids.map((id) => [id, level]);

/** Of requests and responses alike: the bodies and what is in them. */
const bodies = (['request-body', 'request-property', 'response-body', 'response-property'] as const).flatMap((prefix) =>
  rulesOf(prefix, { ...BODY_EFFECTS, ...boundEffects(names, all) }),
);

/**
 * The rules and their levels. Their names are those of oasdiff wherever it has the rule; docs/spec-diff.md says which it
 * has besides.
 */
export const RULES: ReadonlyMap<string, ChangeLevel> = new Map([
  ...bodies,
  ...rulesOf('request-parameter', {
    'type-changed': 'incomparable',
    'type-generalized': 'widens',
    'list-of-types-widened': 'widens',
    'list-of-types-narrowed': 'narrows',
    'became-nullable': 'widens',
    'became-not-nullable': 'narrows',
    'default-value-added': 'none',
    'default-value-removed': 'none',
    'default-value-changed': 'none',
    'became-enum': 'narrows',
    'enum-removed': 'widens',
    'enum-value-added': 'widens',
    'enum-value-removed': 'narrows',
    'pattern-added': 'narrows',
    'pattern-removed': 'widens',
    'pattern-changed': 'unknown',
    'pattern-generalized': 'widens',
    'multiple-of-set': 'narrows',
    'multiple-of-unset': 'widens',
    'x-extensible-enum-value-removed': 'narrows',
    ...boundEffects(names, ['set', 'unset']),
    ...boundEffects(
      names.filter((name) => !/properties|contains/.test(name)),
      ['increased', 'decreased'],
    ),
  }),
  ...rulesOf('request-parameter-property', {
    'type-changed': 'unknown',
    'type-generalized': 'widens',
    'type-specialized': 'narrows',
    'list-of-types-widened': 'widens',
    'list-of-types-narrowed': 'narrows',
    'became-nullable': 'widens',
    'became-not-nullable': 'narrows',
    'enum-removed': 'widens',
    'enum-value-added': 'widens',
    'enum-value-removed': 'narrows',
  }),
  ...rulesOf('response-header', {
    'type-changed': 'incomparable',
    'type-generalized': 'widens',
    'type-specialized': 'narrows',
    'became-nullable': 'widens',
    'became-not-nullable': 'narrows',
    'multiple-of-set': 'narrows',
    'multiple-of-unset': 'widens',
    ...boundEffects(names, ['set', 'unset']),
  }),
  ...rulesOf('request-property', {
    'enum-value-added': 'widens',
    'enum-value-removed': 'narrows',
    'enum-removed': 'widens',
    'became-enum': 'narrows',
    'pattern-added': 'narrows',
    'pattern-removed': 'widens',
    'pattern-changed': 'unknown',
    'pattern-generalized': 'widens',
    'unique-items-set': 'narrows',
    'multiple-of-generalized': 'widens',
    'became-required': 'narrows',
    'became-required-with-default': 'narrows',
    'became-optional': 'widens',
    removed: 'unknown',
    deprecated: 'none',
    reactivated: 'none',
    'x-extensible-enum-value-removed': 'narrows',
  }),
  ...rulesOf('request-body', {
    'became-enum': 'narrows',
    'enum-removed': 'widens',
    'enum-value-removed': 'narrows',
    'unique-items-set': 'narrows',
    'multiple-of-generalized': 'widens',
    'wrapped-in-one-of': 'incomparable',
    'added-required': 'narrows',
    'added-optional': 'none',
    removed: 'incomparable',
    'became-required': 'narrows',
    'became-optional': 'widens',
    'media-type-added': 'widens',
    'media-type-removed': 'narrows',
    'media-type-schema-added': 'narrows',
    'media-type-schema-removed': 'widens',
    'media-type-item-schema-added': 'narrows',
    'media-type-item-schema-removed': 'widens',
  }),
  ...rulesOf('response-body', {
    'type-specialized': 'narrows',
    'multiple-of-specialized': 'narrows',
    'wrapped-in-one-of': 'incomparable',
    'media-type-schema-added': 'narrows',
    'media-type-schema-removed': 'widens',
    'media-type-item-schema-added': 'narrows',
    'media-type-item-schema-removed': 'widens',
  }),
  ...rulesOf('response-property', {
    'type-specialized': 'narrows',
    'multiple-of-specialized': 'narrows',
    'enum-value-removed': 'narrows',
    'pattern-added': 'narrows',
    'pattern-removed': 'widens',
    'pattern-changed': 'unknown',
    'became-optional': 'widens',
    'became-required': 'narrows',
    deprecated: 'none',
    reactivated: 'none',
  }),
  ...withLevel('breaking', [
    'api-path-removed-without-deprecation',
    'api-path-removed-before-sunset',
    'api-deprecated-sunset-parse',
    'api-invalid-stability-level',
    'api-stability-decreased',
    'request-parameter-sunset-deleted',
    ...bothSides('deprecated-invalid', 'stability-decreased'),
    'webhook-body-became-optional',
    'webhook-answer-removed',
    'api-path-sunset-parse',
    'api-removed-without-deprecation',
    'api-removed-before-sunset',
    'sunset-deleted',
    'api-security-removed',
    'api-security-scope-added',
    'api-global-security-removed',
    'api-global-security-scope-added',
    'new-required-request-parameter',
    'new-required-request-default-parameter-to-existing-path',
    'new-request-path-parameter',
    'new-required-request-property',
    'new-required-request-property-with-default',
    'new-required-request-header-property',
    'request-header-property-became-enum',
    'request-header-property-became-required',
    'request-parameter-became-required',
    'request-parameter-removed-before-sunset',
    'request-parameter-sunset-parse',
    'response-success-status-removed',
    'response-media-type-removed',
    'required-response-header-removed',
    'response-header-became-optional',
    'response-required-property-removed',
    'webhook-removed',
  ]),
  ...withLevel('warning', [
    'request-parameter-removed',
    'optional-response-header-removed',
    'response-property-enum-value-added',
    'response-property-enum-removed',
    'response-body-enum-removed',
    'response-required-property-became-not-write-only',
  ]),
  ...withLevel('info', [
    // As a new optional field of a response.
    'response-body-additional-properties-allowed',
    'response-property-additional-properties-allowed',
    'endpoint-added',
    'endpoint-deprecated',
    'endpoint-deprecated-with-sunset',
    'endpoint-reactivated',
    'api-stability-increased',
    ...bothSides('deprecated-with-sunset', 'stability-increased'),
    ...['url-changed', 'token-url-changed', 'scope-added', 'scope-removed', 'scope-changed'].map(
      (what) => `api-security-component-oauth-${what}`,
    ),
    'webhook-body-became-required',
    'api-path-removed-with-deprecation',
    'api-removed-with-deprecation',
    'api-operation-id-added',
    'api-operation-id-removed',
    'api-tag-added',
    'api-tag-removed',
    'api-schema-removed',
    'api-security-added',
    'api-security-scope-removed',
    'api-global-security-added',
    'api-global-security-scope-removed',
    'api-security-component-added',
    'api-security-component-removed',
    'api-security-component-type-changed',
    'new-optional-request-parameter',
    'new-optional-request-default-parameter-to-existing-path',
    'new-optional-request-property',
    'request-parameter-became-optional',
    'request-parameter-removed-with-deprecation',
    'request-parameter-deprecated',
    'request-parameter-reactivated',
    'response-success-status-added',
    'response-non-success-status-added',
    'response-non-success-status-removed',
    'response-media-type-added',
    'response-mediatype-enum-value-removed',
    'response-header-added',
    'response-required-property-added',
    'response-optional-property-added',
    'response-optional-property-removed',
    'response-required-write-only-property-added',
    'response-required-write-only-property-removed',
    'response-optional-write-only-property-added',
    'response-optional-write-only-property-removed',
    'response-write-only-property-became-optional',
    'response-write-only-property-became-required',
    'response-write-only-property-enum-value-added',
    'request-read-only-property-enum-value-removed',
    'webhook-added',
    'response-required-property-became-write-only',
    'response-required-property-became-read-only',
    'response-required-property-became-not-read-only',
    ...['request-optional', 'request-required', 'response-optional'].flatMap((which) =>
      ['write-only', 'not-write-only', 'read-only', 'not-read-only'].map((what) => `${which}-property-became-${what}`),
    ),
    ...['max', 'exclusive-max', 'max-length', 'max-items', 'max-properties'].map(
      (name) => `request-read-only-property-${name}-decreased`,
    ),
    ...['min', 'exclusive-min'].map((name) => `request-read-only-property-${name}-increased`),
  ]),
]);
