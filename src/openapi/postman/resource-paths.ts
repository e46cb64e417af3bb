/** A parameter of a path, and the variable of the collection that stands for it. */
export interface PathVariable {
  readonly parameter: string;
  readonly variable: string;
  /** What the record is called that the parameter names, and by which field. */
  readonly resource: string;
  readonly field: string;
}

/** Paths of the document by what they address. */
export interface ResourcePaths {
  /** `/users/{id}` → its parameters in order. */
  variables(path: string): readonly PathVariable[];
  /** What names a record of the collection at this path: `/users` → the parameter of `/users/{id}`. */
  memberOf(path: string): PathVariable | undefined;
  /** Paths below which single records have their addresses. */
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

function pathVariable(before: string, parameter: string): PathVariable {
  const resource = resourceOf(before);
  const name = parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const isNamed = name !== 'id' && name !== resource;
  const field = isNamed ? name.replace(`${resource}_`, '') : 'id';
  // An app of a user is not an app of one's own, and an own session of an admin not one of a developer.
  const [, owner = ''] = /^\/([^/]+)\/me\//.exec(before) ?? [];
  const [parent = ''] = before.split('/{', 1);
  const names = [owner, parent === before ? '' : resourceOf(parent), resource, field];
  return { parameter, variable: names.filter((part) => part !== '').join('_'), resource, field };
}

/** What the records at a path are called: `/admin/api-products/{id}` → `api_product`. */
export function resourceAt(path: string): string {
  return resourceOf(path.replace(/\/\{\w+\}$/, ''));
}

function resourceOf(path: string): string {
  return singular(path.slice(path.lastIndexOf('/') + 1).replace(/-/g, '_'));
}

/** @param word a name in the plural, of a path or a field */
export function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}
