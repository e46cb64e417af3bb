import { UniqueViolationError, type Transaction } from '../../../database/index.js';
import type { FoundApp, FoundDeveloper, FoundKey } from '../../../gateway/index.js';
import { canonicalEmail, cleanName, EmailTakenError, NO_PASSWORD, userRecord } from '../../accounts/index.js';
import { appRecord } from '../app/app.js';
import { APP_TEXT_MAX } from '../app/app-input.js';
import { gatewayLinkRecord } from '../gateway-operations/gateway-link.js';
import type { AppParts } from '../app-parts.js';
import type { Approvable, ApprovalStatus } from '../app/approval.js';
import { credentialRecord, keyHint } from '../credential/credential.js';
import { grantRecord } from '../credential/grant.js';
import type { ImportCount } from './import-report.js';
import type { ImportedProducts } from './imported-products.js';
import { isAddressable, portalName } from '../app/app-name.js';

const REASON = 'Revoked at the gateway before it was imported.';
/** Skips a developer, with the reason for the report. */
export class LeftOutError extends Error {}

/** Writes a gateway developer with their apps and keys into the portal, all at once. Sends no mail. */
export class DeveloperImport {
  constructor(
    private readonly parts: AppParts,
    private readonly products: ImportedProducts,
    private readonly count: ImportCount,
  ) {}

  /** Apps that can be imported; reports the ones that cannot. */
  selectUsable(developer: FoundDeveloper, apps: readonly FoundApp[]): FoundApp[] {
    return apps.filter((app) => {
      const fault = isAddressable(app.name) ? null : 'its name cannot be used in addresses';
      if (fault !== null) this.count.note(developer.email, app.name, fault);
      return fault === null;
    });
  }

  /** @throws LeftOutError */
  async check({ email }: FoundDeveloper): Promise<string> {
    const canonical = canonicalEmail(email);
    if (canonical === null) throw new LeftOutError('not a usable e-mail address');
    const isTaken = await userRecord.has(this.parts.database, { email: canonical });
    if (isTaken) throw new LeftOutError('the portal has an account with this e-mail already');
    return canonical;
  }

  /** @returns the id of the account. @throws LeftOutError */
  async write(developer: FoundDeveloper, apps: readonly FoundApp[]): Promise<number> {
    const email = await this.check(developer);
    const names = apps.flatMap(({ keys }) => keys.flatMap(({ products }) => products.map(({ product }) => product)));
    const productIds = await this.products.idsOf(names);
    try {
      return await this.parts.database.transaction(async (transaction) => {
        const userId = await this.writeUser(developer, email, transaction);
        const taken = new Set<string>();
        for (const app of apps) await this.writeApp(userId, app, taken, productIds, transaction);
        return userId;
      });
    } catch (error) {
      if (!(error instanceof UniqueViolationError || error instanceof EmailTakenError)) throw error;
      throw new LeftOutError('the portal has an account with this e-mail already', { cause: error });
    }
  }

  private async writeUser(developer: FoundDeveloper, email: string, transaction: Transaction): Promise<number> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const [local = 'Developer'] = email.split('@');
    const userId = await userRecord.insert(
      database,
      {
        email,
        firstName: cleanName(developer.firstName.slice(0, 100)) ?? local.slice(0, 100),
        lastName: cleanName(developer.lastName.slice(0, 100)) ?? '–',
        passwordHash: NO_PASSWORD,
        status: developer.status,
        createdAt: now,
        updatedAt: now,
      },
      transaction,
    );
    const { gatewayId, email: known } = developer;
    await gatewayLinkRecord.insert(database, { userId, gatewayId, email: known, createdAt: now }, transaction);
    return userId;
  }

  private async writeApp(
    userId: number,
    found: FoundApp,
    taken: Set<string>,
    productIds: ReadonlyMap<string, number>,
    transaction: Transaction,
  ): Promise<void> {
    const { database, clock } = this.parts;
    const name = portalName(found.name, taken);
    const createdAt = found.createdAt ?? clock.now();
    const id = await appRecord.insert(
      database,
      {
        ...{ userId, name, nameKey: name.toLowerCase() },
        displayName: (found.displayName?.trim() || found.name).slice(0, APP_TEXT_MAX.displayName),
        description: (found.description ?? '').slice(0, APP_TEXT_MAX.description),
        callbackUrl: webAddress(found.callbackUrl),
        ...stateOf(found.status, createdAt),
        syncState: 'synced',
        gatewayAppId: found.appId,
        gatewayName: name === found.name ? null : found.name,
        ...{ createdAt, updatedAt: clock.now() },
      },
      transaction,
    );
    for (const key of found.keys) await this.writeKey(id, key, createdAt, productIds, transaction);
  }

  private async writeKey(
    appId: number,
    found: FoundKey,
    appMade: Date,
    productIds: ReadonlyMap<string, number>,
    transaction: Transaction,
  ): Promise<void> {
    const { database, gateway, clock } = this.parts;
    const issuedAt = found.issuedAt ?? appMade;
    const times = { createdAt: issuedAt, updatedAt: clock.now() };
    const credentialId = await credentialRecord.insert(
      database,
      {
        appId,
        keyHint: found.consumerKey === null ? '' : keyHint(found.consumerKey),
        ...stateOf(found.status, issuedAt),
        ...{ issuedAt, expiresAt: found.expiresAt, syncState: 'synced' },
        ...times,
      },
      transaction,
    );
    const gatewayKeyRef = gateway.encryptKeyRef(credentialId, found.keyRef);
    await credentialRecord.update(database, { id: credentialId }, { gatewayKeyRef }, transaction);
    for (const { product, status } of found.products) {
      const productId = productIds.get(product);
      if (productId === undefined) continue;
      await grantRecord.insert(
        database,
        { credentialId, productId, ...stateOf(status, issuedAt), ...times },
        transaction,
      );
    }
  }
}

function stateOf(status: ApprovalStatus, since: Date): Approvable {
  const isRevoked = status === 'revoked';
  return {
    status,
    statusReason: isRevoked ? REASON : null,
    revokedBy: isRevoked ? 'admin' : null,
    approvedAt: status === 'pending' ? null : since,
  };
}

function webAddress(text: string | null): string | null {
  const isUsable = text !== null && text.length <= APP_TEXT_MAX.callbackUrl && /^https?:\/\/\S+$/i.test(text);
  return isUsable && URL.canParse(text) ? text : null;
}
