export interface ApigeeAttribute {
  readonly name: string;
  readonly value: string;
}

export function attributeOf(record: { readonly attributes: readonly ApigeeAttribute[] }, name: string): string | null {
  return record.attributes.find((attribute) => attribute.name === name)?.value ?? null;
}

/** With these values and everything else as it was. Apigee's own pages break on empty values, so those are left out. */
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
 * Attributes that say what the portal made: the id of its record, which another portal counts as well, and the installation
 * that gave it. What carries an id alone was made by a release that knew no installations, or by anybody.
 */
export class Marks {
  private readonly installationName: string;

  /** @param name of the attribute that holds the id */
  constructor(
    private readonly name: string,
    private readonly installation: string,
  ) {
    this.installationName = `${name}-installation`;
  }

  /** What to write on a record of the portal. */
  of(portalId: string): Record<string, string> {
    return { [this.name]: portalId, [this.installationName]: this.installation };
  }

  /** Whether this installation made it, for that record. */
  isOn(record: Marked, portalId: string): boolean {
    return attributeOf(record, this.name) === portalId && this.installationOf(record) === this.installation;
  }

  /** The same for what is known to be ours by something else, such as Apigee's own id: an id alone will do. */
  isOnOurs(record: Marked, portalId: string): boolean {
    const installation = this.installationOf(record);
    const isForeign = installation !== null && installation !== this.installation;
    return attributeOf(record, this.name) === portalId && !isForeign;
  }

  /** The record of the portal that something within a developer of ours belongs to; null: of none. */
  idWithinOurs(record: Marked): string | null {
    const portalId = attributeOf(record, this.name);
    return portalId !== null && this.isOnOurs(record, portalId) ? portalId : null;
  }

  /** The account that a developer belongs to; of another portal, or nobody knows of which, it is no number. */
  accountOf(record: Marked): string | null {
    const portalId = attributeOf(record, this.name);
    if (portalId === null || this.isOn(record, portalId)) return portalId;
    return `${this.installationOf(record) ?? 'unknown'}:${portalId}`;
  }

  private installationOf(record: Marked): string | null {
    return attributeOf(record, this.installationName);
  }
}
