export interface ApigeeAttribute {
  readonly name: string;
  readonly value: string;
}

export function readAttribute(
  record: { readonly attributes: readonly ApigeeAttribute[] },
  name: string,
): string | null {
  return record.attributes.find((attribute) => attribute.name === name)?.value ?? null;
}

/** Sets values and keeps all other attributes. Empty values, which break Apigee's own pages, are omitted. */
export function withAttributes(
  attributes: readonly ApigeeAttribute[],
  values: Readonly<Record<string, string>>,
): readonly ApigeeAttribute[] {
  const others = attributes.filter(({ name }) => !Object.hasOwn(values, name));
  const own = Object.entries(values).map(([name, value]) => ({ name, value }));
  return [...others, ...own.filter(({ value }) => value !== '')];
}

interface Marked {
  readonly attributes: readonly ApigeeAttribute[];
}

/**
 * Attributes that mark what this portal created: the id of the portal's record, and the portal's installation, since ids of
 * different portals overlap. A record with an id alone is from a release before installations, or from anybody.
 */
export class ApigeeMarks {
  /** Name of the attribute of apps that holds the plans of their keys. */
  readonly plans: string;
  /** Name of the attribute of apps that have a new owner, until their own keys may come. */
  readonly moving: string;
  private readonly installationName: string;

  /** @param name of the attribute that holds the id */
  constructor(
    private readonly name: string,
    private readonly installation: string,
  ) {
    this.plans = `${name}-plans`;
    this.moving = `${name}-moving`;
    this.installationName = `${name}-installation`;
  }

  /** The attributes to write. */
  of(portalId: string): Record<string, string> {
    return { [this.name]: portalId, [this.installationName]: this.installation };
  }

  /** Whether this installation created it for that record. */
  isOn(record: Marked, portalId: string): boolean {
    return readAttribute(record, this.name) === portalId && this.installationOf(record) === this.installation;
  }

  /** The same for a record known to be ours in another way, such as by Apigee's own id: the mark's id suffices. */
  isOnOurs(record: Marked, portalId: string): boolean {
    const installation = this.installationOf(record);
    const isForeign = installation !== null && installation !== this.installation;
    return readAttribute(record, this.name) === portalId && !isForeign;
  }

  /** Id of the portal's record for something inside a developer of ours; null if there is none. */
  idWithinOurs(record: Marked): string | null {
    const portalId = readAttribute(record, this.name);
    return portalId !== null && this.isOnOurs(record, portalId) ? portalId : null;
  }

  /** Id of a developer's account; not a number for developers of another or an unknown portal. */
  accountOf(record: Marked): string | null {
    const portalId = readAttribute(record, this.name);
    if (portalId === null || this.isOn(record, portalId)) return portalId;
    return `${this.installationOf(record) ?? 'unknown'}:${portalId}`;
  }

  /** The first letters and digits of the installation's id, for names. */
  shortenInstallation(length: number): string {
    return this.installation
      .replace(/[^A-Za-z0-9]/g, '')
      .slice(0, length)
      .toLowerCase();
  }

  private installationOf(record: Marked): string | null {
    return readAttribute(record, this.installationName);
  }
}
