export type { Piece } from './ranking.js';
export { missList, SEARCH_TYPES, type SearchMiss, type SearchType } from './search-entry.js';
export type { SearchHit, SearchPage, SearchRequest } from './search-service.js';
export { createSearchServices, type SearchServices } from './search-services.js';
