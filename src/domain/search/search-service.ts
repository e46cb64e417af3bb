import type { ListPage } from '../../core/index.js';
import type { Viewer } from '../catalog/index.js';
import type { Choices } from './full-text.js';
import { mark, rank, snippetOf, type Piece } from './ranking.js';
import type { SearchType } from './search-entry.js';
import type { SearchMisses } from './search-misses.js';
import type { Asked, FoundRow, SearchQueries } from './search-queries.js';
import { distanceToBeginning, gramsOf, termsOf, toleranceOf } from './search-text.js';

/** Of the best by their words, so many are put in order by what people expect; the others follow as they are. */
const RANKED = 200;
/** Words that may stand for a misspelt one. */
const MOST_GUESSES = 5;
/** Pages beyond are empty: nobody reads that far, and each costs the database as much as all before it. */
const LAST_OFFSET = 2_000;

export interface SearchRequest {
  readonly q: string;
  /** null: all. */
  readonly type: SearchType | null;
  readonly page: number;
  readonly perPage: number;
  /** Typed to its end, and so worth noting when nothing is found. */
  readonly isDone: boolean;
  /** False: words are taken as they are, for who looks in another way when nothing is found. */
  readonly mayGuess?: boolean;
  /** False: `total` says whether another page follows, and no more. Counting takes MariaDB as long as finding. */
  readonly counts?: boolean;
}

interface Part {
  readonly offset: number;
  readonly perPage: number;
  readonly counts: boolean;
}

/** Something that was found. */
export interface SearchHit {
  readonly type: SearchType;
  readonly name: string;
  readonly place: string;
  readonly recordId: number;
  readonly product: { readonly slug: string; readonly name: string } | null;
  /** The name, with what was found in it. */
  readonly title: readonly Piece[];
  readonly summary: readonly Piece[];
  readonly snippet: readonly Piece[];
}

export interface SearchPage extends Pick<ListPage<SearchHit>, 'items'> {
  readonly total: number;
  readonly page: number;
  readonly perPage: number;
  /** Words were taken for misspelt: nothing was found with them as they are. */
  readonly isGuessed: boolean;
}

/** Looks for things that a viewer may see. */
export class SearchService {
  constructor(
    private readonly queries: SearchQueries,
    private readonly misses: SearchMisses,
    /** False: nothing is ever found. */
    readonly isEnabled: boolean,
  ) {}

  /** Any text is a question; one without words finds nothing. */
  async search(request: SearchRequest, viewer: Viewer, locale: string): Promise<SearchPage> {
    const { q, type, page, perPage, isDone, mayGuess = true, counts = true } = request;
    const terms = termsOf(q).map((term): Choices => [term]);
    const empty = { items: [], total: 0, page, perPage, isGuessed: false };
    const offset = (page - 1) * perPage;
    if (!this.isEnabled || terms.length === 0 || offset >= LAST_OFFSET) return empty;
    const asked = { terms, viewer, locale, type };
    const part = { offset, perPage, counts };
    const found = await this.find(asked, part);
    if (found.total > 0) return { ...empty, ...found };
    const guessed = mayGuess ? await this.guess(terms, viewer) : null;
    const second = guessed && (await this.find({ ...asked, terms: guessed }, part));
    if (second && second.total > 0) return { ...empty, ...second, isGuessed: true };
    if (isDone && type === null && page === 1) this.misses.note(q, locale);
    return empty;
  }

  private async find(asked: Asked, part: Part): Promise<Pick<SearchPage, 'items' | 'total'>> {
    const { offset, perPage, counts } = part;
    const isAmongRanked = offset + perPage <= RANKED;
    const { candidates, total } = isAmongRanked
      ? await this.queries.findCandidates(asked, RANKED, 0, counts)
      : await this.queries.findCandidates(asked, perPage, offset, counts);
    const chosen = isAmongRanked ? rank(candidates, asked.terms).slice(offset, offset + perPage) : candidates;
    if (chosen.length === 0) return { items: [], total };
    const rows = await this.queries.readFound(
      chosen.map(({ id }) => id),
      asked.viewer,
      asked.locale,
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const items = chosen.flatMap(({ id }) => {
      const row = byId.get(id);
      return row ? [hitOf(row, asked.terms)] : [];
    });
    return { items, total };
  }

  /** The terms with words of what the viewer may see that are spelt much alike; null when there are none. */
  private async guess(terms: readonly Choices[], viewer: Viewer): Promise<Choices[] | null> {
    const all: Choices[] = [];
    for (const [term] of terms) all.push([term, ...(await this.similarTo(term, viewer))]);
    return all.some((choices) => choices.length > 1) ? all : null;
  }

  private async similarTo(term: string, viewer: Viewer): Promise<string[]> {
    const tolerance = toleranceOf(term);
    if (tolerance === 0) return [];
    const grams = gramsOf(term);
    // A wrong letter spoils up to three trigrams; with all of them spoilt nothing could be compared.
    const shared = Math.max(1, grams.length - 3 * tolerance);
    const words = await this.queries.findSimilar(grams, viewer, { shared, longest: term.length + 12 });
    const near = words.map((word) => ({ word, distance: distanceToBeginning(term, word, tolerance) }));
    const possible = near.filter(({ distance, word }) => distance !== Infinity && word !== term);
    const lengthOff = (word: string) => Math.abs(word.length - term.length);
    possible.sort((a, b) => a.distance - b.distance || lengthOff(a.word) - lengthOff(b.word));
    return possible.slice(0, MOST_GUESSES).map(({ word }) => word);
  }
}

function hitOf(row: FoundRow, terms: readonly Choices[]): SearchHit {
  const { type, name, place, recordId, summary, body, productSlug, productName } = row;
  return {
    ...{ type, name, place, recordId },
    product: productSlug === null ? null : { slug: productSlug, name: productName ?? productSlug },
    title: mark(name, terms),
    summary: mark(summary, terms),
    snippet: snippetOf(body, terms),
  };
}
