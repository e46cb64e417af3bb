import type { Database } from '../../../database/index.js';
import { ValidationError } from '../../../core/index.js';
import { findKeylessOffer } from './offer-queries.js';
import type { PlanInput, PlanRow } from './plan.js';
import { planText } from './plan-text.js';

/** A product that may be called without a key. */
export interface KeylessProduct {
  readonly productId: number;
  /** The plan that limits such calls. */
  readonly plan: string;
}

/** Plans for calls without a key belong to nobody; callers are told apart by network only. @throws ValidationError on `keyless` */
export function requireKeylessTerms(before: PlanRow | null, input: Partial<PlanInput>): void {
  if (!(before ?? input).isKeyless) return;
  const { approval, keyLifetime = null, trialDays = null, audiences = [] } = input;
  if (approval !== 'manual' && keyLifetime === null && trialDays === null && audiences.length === 0) return;
  const fault = 'A plan for calls without a key has no approval, audiences, trial or lifetime of keys.';
  throw new ValidationError({ keyless: [fault] });
}

/** The product with that slug, if everybody sees it and it offers a plan for calls without a key; null otherwise. */
export async function findKeylessProduct(database: Database, slug: string): Promise<KeylessProduct | null> {
  const found = await findKeylessOffer(database, slug);
  if (!found) return null;
  const terms = { versionId: found.versionId, day: 1, overrideId: null, resetId: null };
  return { productId: found.productId, plan: planText(terms) };
}
