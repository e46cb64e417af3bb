import type { CallProof, FirstCall } from '../../domain/catalog/index.js';

/** For APIs whose document names no server. */
const EXAMPLE_BASE = 'https://api.example.com';
/** URL characters without a meaning in a shell: samples are pasted into one. */
const PLAIN_ADDRESS = /^https?:\/\/[\w.~:[\]%/-]+$/;
/** Without a document: the header in which gateways expect keys. */
const WITHOUT_DOCUMENT: Pick<FirstCall, 'path' | 'proofs'> = {
  path: '/',
  proofs: [{ kind: 'header', name: 'X-API-Key' }],
};
const KEY_KINDS: readonly CallProof['kind'][] = ['header', 'query', 'cookie', 'bearer'];

/** A first call to an API, for a terminal. */
export interface SampleCall {
  readonly text: string;
  /** `key`: needs a key of the portal. `other`: needs credentials of the API itself. `nothing`: an open API. */
  readonly takes: 'key' | 'other' | 'nothing';
}

/**
 * @param call from the product's document; null if it has none
 * @param key what is shown of the reader's own key
 */
export function sampleCall(
  base: string | null,
  call: Pick<FirstCall, 'path' | 'proofs'> | null,
  key: string | undefined,
): SampleCall {
  const { path, proofs } = call ?? WITHOUT_DOCUMENT;
  const takesKey = proofs.some(({ kind }) => KEY_KINDS.includes(kind));
  const address = (base !== null && PLAIN_ADDRESS.test(base) ? base : EXAMPLE_BASE) + path;
  const query = proofs.filter(({ kind }) => kind === 'query').map(({ name }) => `${name}=$API_KEY`);
  // A copied sample must not contain the key: it takes it from a variable.
  const variables = [
    ...(takesKey ? [`export API_KEY="${key ?? 'YOUR_KEY'}"`] : []),
    ...(proofs.some(({ kind }) => kind === 'token') ? ['export TOKEN="YOUR_TOKEN"'] : []),
  ];
  const curl = [`curl ${query.length > 0 ? `"${address}?${query.join('&')}"` : address}`, ...proofs.flatMap(optionOf)];
  return {
    text: [...variables, curl.join(' \\\n  ')].join('\n'),
    takes: proofs.length === 0 ? 'nothing' : takesKey ? 'key' : 'other',
  };
}

function optionOf({ kind, name }: CallProof): string[] {
  switch (kind) {
    case 'header':
      return [`-H "${name}: $API_KEY"`];
    case 'cookie':
      return [`-b "${name}=$API_KEY"`];
    case 'bearer':
      return ['-H "Authorization: Bearer $API_KEY"'];
    case 'token':
      return ['-H "Authorization: Bearer $TOKEN"'];
    case 'basic':
      return ['-u "USER:PASSWORD"'];
    case 'query':
    case 'other':
      return [];
  }
}
