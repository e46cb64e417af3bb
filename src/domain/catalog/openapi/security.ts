import { arrayOf, isObject, LONGEST_TEXT, objectOf, readString, type JsonObject, type Lookup } from './lookup.js';

/** A security scheme, in the terms of OpenAPI 3. */
export interface IndexedScheme {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  /** For `apiKey`: the header, query parameter or cookie. */
  readonly in: string;
  readonly param: string;
  /** For `http`. */
  readonly scheme: string;
  readonly bearerFormat: string;
  readonly openIdConnectUrl: string;
  readonly isDeprecated: boolean;
  readonly flows: readonly {
    readonly flow: string;
    readonly authorizationUrl: string;
    readonly tokenUrl: string;
    readonly refreshUrl: string;
    readonly deviceAuthorizationUrl: string;
    readonly scopes: readonly { readonly name: string; readonly description: string }[];
  }[];
}

const SWAGGER_FLOWS: Readonly<Record<string, string>> = {
  accessCode: 'authorizationCode',
  application: 'clientCredentials',
};

export function schemesOf(document: JsonObject, lookup: Lookup): IndexedScheme[] {
  const isSwagger = document.swagger !== undefined;
  const declared = isSwagger ? document.securityDefinitions : objectOf(document.components).securitySchemes;
  return Object.entries(objectOf(declared)).map(([name, value]) => {
    const scheme = lookup.object(value);
    const type = readString(scheme.type);
    const flows = isSwagger && type === 'oauth2' ? { [flowName(scheme.flow)]: scheme } : scheme.flows;
    return {
      name: readString(name),
      type: type === 'basic' ? 'http' : type,
      description: readString(scheme.description, LONGEST_TEXT),
      in: readString(scheme.in),
      param: readString(scheme.name),
      scheme: type === 'basic' ? 'basic' : readString(scheme.scheme).toLowerCase(),
      bearerFormat: readString(scheme.bearerFormat),
      openIdConnectUrl: readString(scheme.openIdConnectUrl),
      isDeprecated: scheme.deprecated === true,
      flows: Object.entries(objectOf(flows)).map(([flow, settings]) => ({
        flow,
        authorizationUrl: readString(objectOf(settings).authorizationUrl),
        tokenUrl: readString(objectOf(settings).tokenUrl),
        refreshUrl: readString(objectOf(settings).refreshUrl),
        deviceAuthorizationUrl: readString(objectOf(settings).deviceAuthorizationUrl),
        scopes: Object.entries(objectOf(objectOf(settings).scopes)).map(([scope, description]) => ({
          name: readString(scope),
          description: readString(description, LONGEST_TEXT),
        })),
      })),
    };
  });
}

function flowName(flow: unknown): string {
  const name = readString(flow);
  return SWAGGER_FLOWS[name] ?? name;
}

/** One alternative: all of its schemes are required. */
export type Requirement = readonly { readonly name: string; readonly scopes: readonly string[] }[];

/** The security alternatives of an operation, any of which is sufficient; an empty one means that none is required. */
export function requirementsOf(security: unknown): Requirement[] {
  return arrayOf(security)
    .filter(isObject)
    .map((requirement) =>
      Object.entries(requirement).map(([name, scopes]) => ({
        name: readString(name),
        scopes: arrayOf(scopes).map((scope) => readString(scope)),
      })),
    );
}
