export { OutboundError } from './errors.js';
export { OutboundFetcher, type FetchOptions, type OutboundRequest, type OutboundSettings } from './outbound-fetcher.js';
export type { OutboundAnswer, ResolvedAddress } from './send.js';
