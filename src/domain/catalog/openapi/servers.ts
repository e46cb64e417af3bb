import { arrayOf, isObject, LONGEST_TEXT, objectOf, readString, type JsonObject } from './lookup.js';

/** A place where an API answers; `{name}` in its address stands for a variable. */
export interface IndexedServer {
  readonly url: string;
  readonly name: string;
  readonly description: string;
  readonly variables: readonly {
    readonly name: string;
    readonly description: string;
    readonly value: string;
    readonly choices: readonly string[];
  }[];
}

/** The `servers` of a document, a path or an operation. */
export function serversOf(servers: unknown): IndexedServer[] {
  return arrayOf(servers)
    .filter(isObject)
    .filter(({ url }) => typeof url === 'string')
    .map(({ url, name, description, variables }) => ({
      url: readString(url, 2_000),
      name: readString(name),
      description: readString(description, LONGEST_TEXT),
      variables: Object.entries(objectOf(variables)).map(([name, variable]) => ({
        name: readString(name),
        description: readString(objectOf(variable).description, LONGEST_TEXT),
        value: readString(objectOf(variable).default),
        choices: arrayOf(objectOf(variable).enum).map((choice) => readString(choice)),
      })),
    }));
}

/** The same for Swagger 2.0, which has host, base path and schemes instead. */
export function swaggerServers({ host, basePath, schemes }: JsonObject): IndexedServer[] {
  const path = readString(basePath, 2_000).replace(/\/$/, '');
  if (typeof host !== 'string') return path === '' ? [] : [{ url: path, name: '', description: '', variables: [] }];
  const named = arrayOf(schemes).filter((scheme) => scheme === 'https' || scheme === 'http');
  return (named.length > 0 ? named : ['https']).map((scheme) => ({
    url: `${readString(scheme)}://${readString(host)}${path}`,
    name: '',
    description: '',
    variables: [],
  }));
}

/** The first server's address, if it is absolute and has no variables. */
export function baseAddress([first]: readonly IndexedServer[]): string | null {
  const url = first?.url.replace(/\/$/, '') ?? '';
  return /^https?:\/\//.test(url) && !url.includes('{') ? url : null;
}
