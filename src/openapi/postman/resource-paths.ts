/** A path parameter, and the variable of the collection that replaces it. */
export interface PathVariable {
  readonly parameter: string;
  readonly variable: string;
  /** The resource that the parameter identifies, and the field it uses. */
  readonly resource: string;
  readonly field: string;
}

/** Paths of the document by what they address. */
export interface ResourcePaths {
  /** `/users/{id}` → its parameters in order. */
  variables(path: string): readonly PathVariable[];
  /** The parameter that identifies a record of the collection at this path: `/users` → that of `/users/{id}`. */
  memberOf(path: string): PathVariable | undefined;
  /** Paths below which single records have their paths. */
  readonly collections: readonly string[];
  /** Every parameter of every path. */
  readonly all: readonly PathVariable[];
}

export function resourcePaths(paths: readonly string[]): ResourcePaths {
  const members = new Map<string, PathVariable>();
  for (const path of paths) {
    const [, collection = '', parameter] = /^(.*)\/\{(\w+)\}$/.exec(path) ?? [];
    if (parameter !== undefined) members.set(collection, pathVariable(collection, parameter));
  }
  const variables = (path: string) =>
    [...path.matchAll(/\{(\w+)\}/g)].map(({ index, 1: parameter = '' }) =>
      pathVariable(path.slice(0, index - 1), parameter),
    );
  return {
    variables,
    memberOf: (path) => members.get(path),
    collections: [...members.keys()],
    all: paths.flatMap(variables),
  };
}

/** Named by the product that is watched, or looked at. */
const OF_PRODUCTS = ['/me/watches', '/me/visits'];

/** Admins have a team of their own making, which no developer of the run is in. */
const OWN_TEAM = /^\/me\/team/;

function pathVariable(before: string, parameter: string): PathVariable {
  // A record is compared with one of its kind.
  const [, collection, compared] = /^(.*)\/\{(\w+)\}\/compare$/.exec(before) ?? [];
  if (collection !== undefined && compared !== undefined) return { ...pathVariable(collection, compared), parameter };
  if (OF_PRODUCTS.includes(before)) return { ...pathVariable('/api-products', 'id'), parameter };
  const resource = resourceOf(before);
  const name = parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const isNamed = name !== 'id' && name !== resource;
  const field = isNamed ? name.replace(`${resource}_`, '') : 'id';
  // A user's app is not one's own app, and an admin's own session not a developer's.
  const [, admin = ''] = /^\/([^/]+)\/me\//.exec(before) ?? [];
  const owner = OWN_TEAM.test(before) ? 'own' : admin;
  const [parent = ''] = before.split('/{', 1);
  const names = [owner, parent === before ? '' : resourceOf(parent), resource, field];
  return { parameter, variable: names.filter((part) => part !== '').join('_'), resource, field };
}

/** The resource name of the records at a path: `/admin/api-products/{id}` → `api_product`. */
export function resourceAt(path: string): string {
  return resourceOf(path.replace(/\/\{\w+\}$/, ''));
}

function resourceOf(path: string): string {
  return singular(path.slice(path.lastIndexOf('/') + 1).replace(/-/g, '_'));
}

/** @param word plural name in a path or field */
export function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}
