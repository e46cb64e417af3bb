import type { KeyPair } from '../../../gateway/index.js';
import type { AppParts } from '../app-parts.js';
import type { ApprovalStatus } from '../app/approval.js';
import { credentialStatus, type CredentialRecord, type CredentialStatus } from './credential.js';
import { grantAt, type GrantRecord } from './grant.js';

/** A credential as its owner sees it. */
export interface CredentialView extends Omit<CredentialRecord, 'gatewayKeyRef' | 'status'> {
  readonly status: CredentialStatus;
  readonly lastUsedAt: Date | null;
  /** When the gateway reported it; null if it never did. */
  readonly lastUsedAsOf: Date | null;
  /** The gateway is not responding, so this may be out of date. */
  readonly isUsageStale: boolean;
  readonly products: readonly GrantRecord[];
  /** In full only in the response that creates, rotates or reveals it. */
  readonly key: KeyPair | null;
}

/** A product that an app's keys hold, with its best state among them. */
export interface AppProduct {
  readonly slug: string;
  readonly name: string;
  readonly status: ApprovalStatus;
}

/** Reads what belongs to credentials: their products, and their last use from the gateway. */
export class CredentialReadModel {
  constructor(private readonly parts: AppParts) {}

  async of(credentials: readonly CredentialRecord[]): Promise<CredentialView[]> {
    const { reader, clock, lastUses } = this.parts;
    const [grants, lastUseOf] = await Promise.all([
      reader.grantsOf(credentials.map(({ id }) => id)),
      lastUses.of(credentials),
    ]);
    const now = clock.now();
    return credentials.map((credential) => {
      const { gatewayKeyRef: _, ...shown } = credential;
      const use = lastUseOf(credential);
      return {
        ...shown,
        status: credentialStatus(credential, now),
        ...{ lastUsedAt: use.at, lastUsedAsOf: use.asOf, isUsageStale: use.isStale },
        products: grants
          .filter(({ credentialId }) => credentialId === credential.id)
          .map((grant) => grantAt(grant, now)),
        key: null,
      };
    });
  }

  async one(credential: CredentialRecord, key: KeyPair | null = null): Promise<CredentialView> {
    const [view] = await this.of([credential]);
    return {
      ...(view as CredentialView),
      key: key && { consumerKey: key.consumerKey, consumerSecret: key.consumerSecret },
    };
  }
}

const BEST_FIRST: readonly ApprovalStatus[] = ['approved', 'pending', 'revoked'];

/** The products of an app: those of its credentials, each once, in alphabetical order. */
export function productsOf(grants: readonly GrantRecord[]): AppProduct[] {
  const products = new Map<string, AppProduct>();
  for (const { slug, name, status } of grants) {
    const known = products.get(slug);
    if (!known || BEST_FIRST.indexOf(status) < BEST_FIRST.indexOf(known.status)) {
      products.set(slug, { slug, name, status });
    }
  }
  return [...products.values()].sort((a, b) => (a.slug < b.slug ? -1 : 1));
}
