import type { ListedOption } from './options.js';

/** Where an effective value came from, by descending precedence. */
export type Source = 'flag' | 'environment' | '.env' | 'file' | 'default';

export interface Provenance {
  readonly source: Source;
  /** The variable that was read, if it came from the environment. */
  readonly variable?: string;
  /** Line in `.env`. */
  readonly line?: number;
}

/** Collects faults, so that one start reports all of them. */
export class Faults {
  readonly faults: string[] = [];
  readonly warnings: string[] = [];
  /** Paths whose value was refused: faults that follow from the substitute default are not reported. */
  readonly broken = new Set<string>();
  private readonly options: ReadonlyMap<string, ListedOption>;

  constructor(
    options: readonly ListedOption[],
    private readonly provenance: ReadonlyMap<string, Provenance>,
    private readonly fileName: string,
  ) {
    this.options = new Map(options.map((listed) => [listed.path, listed]));
  }

  /** @param what continues the path, such as "must be …"; never contains a secret's value */
  fault(path: string, what: string, fix?: string): void {
    this.faults.push(this.line(path, what, fix));
  }

  warn(path: string, what: string, fix?: string): void {
    this.warnings.push(this.line(path, what, fix));
  }

  private line(path: string, what: string, fix: string | undefined): string {
    const name = this.options.get(path)?.env[0];
    const at = [name, this.origin(path)].filter((part) => part !== undefined).join(', ');
    return `${path} (${at}): ${what}.${fix === undefined ? '' : ` Fix: ${fix}${fix.endsWith('?') ? '' : '.'}`}`;
  }

  private origin(path: string): string {
    const { source = 'default', variable, line } = this.provenance.get(path) ?? {};
    switch (source) {
      case 'flag':
        return 'from the command line';
      case 'environment':
        return `from ${this.options.get(path)?.env[0] === variable ? 'the environment' : `${variable} of the environment`}`;
      case '.env':
        return `from ${this.options.get(path)?.env[0] === variable ? '' : `${variable} of `}.env${line === undefined ? '' : `:${line}`}`;
      case 'file':
        return `from ${this.fileName}`;
      case 'default':
        // A path that does not belong to an option can only come from the file.
        return this.options.has(path) ? 'not set' : `from ${this.fileName}`;
    }
  }
}
