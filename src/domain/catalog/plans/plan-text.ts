/** What decides about the calls of a product on a key. */
export interface PlanTerms {
  readonly versionId: number;
  /** Day of the month on which anchored periods begin. */
  readonly day: number;
  /** Raises the limits of the version for the app; null for none. */
  readonly overrideId: number | null;
  /** Let its quotas start anew for the app; null for none. */
  readonly resetId: number | null;
}

/** As gateways keep it: it names all that a gateway needs to ask the portal once. Everything that it names never changes. */
export function planText({ versionId, day, overrideId, resetId }: PlanTerms): string {
  if (resetId !== null) return `${versionId}.${day}.${overrideId ?? 0}.${resetId}`;
  return overrideId === null ? `${versionId}.${day}` : `${versionId}.${day}.${overrideId}`;
}

const FORM = /^([1-9]\d{0,14})\.([1-9]\d?)(?:\.(0|[1-9]\d{0,14}))?(?:\.([1-9]\d{0,14}))?$/;

/** null for a text that is none of ours. */
export function readPlanText(text: string | null | undefined): PlanTerms | null {
  const [, versionId, day, overrideId = 0, resetId = 0] = FORM.exec(text ?? '') ?? [];
  if (versionId === undefined) return null;
  const further = { overrideId: Number(overrideId) || null, resetId: Number(resetId) || null };
  return { versionId: Number(versionId), day: Number(day), ...further };
}
