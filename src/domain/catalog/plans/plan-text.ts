/** What decides about the calls of a product on a key. */
export interface PlanTerms {
  readonly versionId: number;
  /** Day of the month on which anchored periods begin. */
  readonly day: number;
}

/** As gateways keep it: it names all that a gateway needs to ask the portal once. Everything that it names never changes. */
export function planText({ versionId, day }: PlanTerms): string {
  return `${versionId}.${day}`;
}

/** null for a text that is none of ours. */
export function readPlanText(text: string | null | undefined): PlanTerms | null {
  const [, versionId, day] = /^([1-9]\d{0,14})\.([1-9]\d?)$/.exec(text ?? '') ?? [];
  return versionId === undefined ? null : { versionId: Number(versionId), day: Number(day) };
}
