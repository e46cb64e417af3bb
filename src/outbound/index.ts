export { OutboundFetcher, type FetchOptions, type OutboundSettings, type ResolvedAddress } from './outbound-fetcher.js';
