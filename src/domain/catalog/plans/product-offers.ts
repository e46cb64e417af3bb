import { ValidationError } from '../../../core/index.js';
import type { CatalogParts } from '../contracts.js';
import type { Approval } from '../products/product.js';
import { readTranslations, translate } from '../translation.js';
import type { Viewer } from '../visibility.js';
import { PLAN_TRANSLATIONS, planRecord, type PlanRow } from './plan.js';
import { findLimitedProducts, findOffers } from './offer-queries.js';
import { planTrialRecord, type PlanTrial } from './plan-trial.js';
import { planVersionRecord, type PlanVersion } from './plan-version.js';

/** A plan that a product offers to a reader, with what it allows now. */
export interface PlanOffer extends PlanRow {
  readonly isDefault: boolean;
  readonly version: PlanVersion;
  /** What comes when its trial is over. */
  readonly fallback: Fallback | null;
}

interface Fallback extends PlanRow {
  readonly version: PlanVersion;
}

/** A plan for a product on a key. */
export interface ChosenPlan {
  readonly versionId: number;
  readonly slug: string;
  readonly approval: Approval;
  /** Seconds that the key lives at most; null for no limit. */
  readonly keyLifetime: number | null;
}

/** A product with the slug of the plan that is wanted for it; the default one if absent. */
export interface PlanWish {
  readonly id: number;
  readonly slug: string;
  readonly plan?: string | undefined;
}

/** The plans that products offer to developers. */
export class ProductOffers {
  constructor(private readonly parts: CatalogParts) {}

  /** The plans that a reader may have for a product that they see, in their language. */
  async list(productId: number, viewer: Viewer, locale: string): Promise<readonly PlanOffer[]> {
    return (await this.listEach([productId], viewer, locale)).get(productId) ?? [];
  }

  /** The same for several products, by their ids. */
  async listEach(
    productIds: readonly number[],
    viewer: Viewer,
    locale: string,
  ): Promise<ReadonlyMap<number, readonly PlanOffer[]>> {
    const { database, defaultLocale } = this.parts;
    const offers = await this.read(productIds, viewer);
    if (locale === defaultLocale) return offers;
    const ids = [...offers.values()].flat().flatMap(({ id, fallback }) => [id, fallback?.id ?? []].flat());
    const texts = await readTranslations(database, PLAN_TRANSLATIONS, [...new Set(ids)]);
    const translatePlan = <P extends PlanRow>(plan: P) => translate(plan, texts.get(plan.id)?.[locale]);
    const localize = (offer: PlanOffer): PlanOffer => {
      return { ...translatePlan(offer), fallback: offer.fallback && translatePlan(offer.fallback) };
    };
    return new Map([...offers].map(([id, own]) => [id, own.map(localize)]));
  }

  /**
   * The plan for each product, by its id; null for a product that offers none to anybody.
   * @throws ValidationError on `products` for a plan that this developer may not have, and where one has to be named
   */
  async choose(userId: number, wishes: readonly PlanWish[]): Promise<ReadonlyMap<number, ChosenPlan | null>> {
    const ids = wishes.map(({ id }) => id);
    const offers = await this.read(ids, { kind: 'developer', userId });
    const limited = await findLimitedProducts(this.parts.database, ids);
    const trials = await this.trialsOf(userId, ids);
    const faults: string[] = [];
    const chosen = wishes.map(({ id, slug, plan }): [number, ChosenPlan | null] => {
      const offered = (offers.get(id) ?? []).filter((one) => !one.isKeyless);
      const offer = offered.find((one) => (plan === undefined ? one.isDefault : one.slug === plan));
      if (!offer && (plan !== undefined || limited.has(id))) faults.push(faultOf(slug, plan, offered));
      if (!offer || !this.isTried(offer, trials.get(id))) return [id, offer ? termsOf(offer) : null];
      if (plan !== undefined) faults.push(`The trial of the product ${JSON.stringify(slug)} has been used.`);
      return [id, offer.fallback && termsOf(offer.fallback)];
    });
    if (faults.length > 0) throw new ValidationError({ products: faults });
    return new Map(chosen);
  }

  /** Those of these plans that an account could not choose for the product. */
  async findRefused<Wish extends PlanWish>(userId: number, wishes: readonly Wish[]): Promise<readonly Wish[]> {
    const offers = await this.read([...new Set(wishes.map(({ id }) => id))], { kind: 'developer', userId });
    return wishes.filter(({ id, plan }) => !offers.get(id)?.some(({ slug }) => slug === plan));
  }

  private async read(
    productIds: readonly number[],
    viewer: Viewer,
  ): Promise<ReadonlyMap<number, readonly PlanOffer[]>> {
    const found = new Map<number, PlanOffer[]>(productIds.map((id) => [id, []]));
    if (productIds.length === 0) return found;
    const { database } = this.parts;
    const rows = await findOffers(database, productIds, viewer);
    const fallbackIds = [...new Set(rows.flatMap(({ fallbackPlanId }) => fallbackPlanId ?? []))];
    const fallbacks = await planRecord.findAll(database, { id: fallbackIds });
    const isActive = { planId: [...rows, ...fallbacks].map(({ id }) => id), status: 'active' } as const;
    const versions = await planVersionRecord.findAll(database, isActive);
    const versionOf = new Map(versions.map((version) => [version.planId, version]));
    const complete = <P extends PlanRow>(plan: P | undefined) => {
      const version = plan && versionOf.get(plan.id);
      return version ? { ...plan, version } : null;
    };
    for (const { productId, ...plan } of rows) {
      const offer = complete(plan);
      const fallback = complete(fallbacks.find(({ id }) => id === plan.fallbackPlanId));
      if (offer) found.get(productId)?.push({ ...offer, fallback });
    }
    return found;
  }

  /** By product: what the developer tries, or has tried. */
  private async trialsOf(userId: number, productIds: readonly number[]): Promise<ReadonlyMap<number, PlanTrial>> {
    const trials = await planTrialRecord.findAll(this.parts.database, { userId, productId: productIds });
    return new Map(trials.map((trial) => [trial.productId, trial]));
  }

  /** Whether it is a trial that this developer cannot have any more. */
  private isTried({ id, trialDays }: PlanOffer, trial: PlanTrial | undefined): boolean {
    return trialDays !== null && trial !== undefined && (trial.planId !== id || trial.endsAt <= this.parts.clock.now());
  }
}

function termsOf({ version, slug, approval, keyLifetime }: Fallback): ChosenPlan {
  return { versionId: version.id, slug, approval, keyLifetime };
}

// Whether there is such a plan at all is not told.
function faultOf(slug: string, plan: string | undefined, offered: readonly PlanOffer[]): string {
  const product = JSON.stringify(slug);
  if (plan !== undefined) return `The product ${product} does not offer this plan.`;
  if (offered.length > 0) return `The product ${product} needs a plan. Choose one of those that it offers.`;
  return `None of the plans of ${product} is for this developer.`;
}
