/** Why something was left out. */
export interface ImportEntry {
  /** E-mail at the gateway, or the name of a team. */
  readonly developer: string;
  /** Name at the gateway; null for the developer as a whole. */
  readonly app: string | null;
  readonly reason: string;
}

export interface ImportReport {
  readonly developers: number;
  readonly teams: number;
  readonly apps: number;
  readonly keys: number;
  /** Created as drafts, because keys carry them and the portal lacked them. */
  readonly products: number;
  /** Developers and teams imported by an earlier run, or created by this portal. */
  readonly already: number;
  readonly skipped: number;
  readonly failed: number;
  readonly notes: readonly ImportEntry[];
}

/** Bounds the report, however long the gateway's list is. */
const MOST_NOTES = 1_000;

/** Counts while a run goes on. */
export class ImportCount {
  developers = 0;
  teams = 0;
  apps = 0;
  keys = 0;
  products = 0;
  already = 0;
  skipped = 0;
  failed = 0;
  private readonly notes: ImportEntry[] = [];

  note(developer: string, app: string | null, reason: string): void {
    if (this.notes.length < MOST_NOTES) this.notes.push({ developer, app, reason });
  }

  report(): ImportReport {
    const { developers, teams, apps, keys, products, already, skipped, failed, notes } = this;
    return { developers, teams, apps, keys, products, already, skipped, failed, notes };
  }
}
