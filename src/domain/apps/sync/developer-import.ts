import { UniqueViolationError, type Transaction } from '../../../database/index.js';
import type { FoundApp, FoundDeveloper, FoundKey, FoundTeam } from '../../../gateway/index.js';
import { normaliseEmail, cleanName, EmailTakenError, NO_PASSWORD, userRecord } from '../../accounts/index.js';
import { appRecord } from '../app/app.js';
import { APP_TEXT_MAX } from '../app/app-input.js';
import { gatewayDeveloperRecord } from '../gateway-operations/gateway-developer.js';
import type { AppParts } from '../app-parts.js';
import type { TeamDrafts } from '../contracts.js';
import type { Approvable, ApprovalStatus } from '../app/approval.js';
import { credentialRecord, keyHint } from '../credential/credential.js';
import { grantRecord } from '../credential/grant.js';
import type { ImportCount } from './import-report.js';
import type { ImportedProducts } from './imported-products.js';
import { isAddressable, portalName } from '../app/app-name.js';

const REASON = 'Revoked at the gateway before it was imported.';
/** Skips a developer, with the reason for the report. */
export class LeftOutError extends Error {}

/** Writes a gateway developer, or a team, with apps and keys into the portal, all at once. Sends no mail. */
export class DeveloperImport {
  constructor(
    private readonly parts: Pick<AppParts, 'database' | 'clock' | 'gateway'> & {
      readonly products: ImportedProducts;
      readonly teams: TeamDrafts;
    },
    private readonly count: ImportCount,
  ) {}

  /** Apps that can be imported; reports the ones that cannot. */
  selectUsable(owner: string, apps: readonly FoundApp[]): FoundApp[] {
    return apps.filter((app) => {
      const fault = isAddressable(app.name) ? null : 'its name cannot be used in addresses';
      if (fault !== null) this.count.note(owner, app.name, fault);
      return fault === null;
    });
  }

  /** @throws LeftOutError */
  async check({ email }: FoundDeveloper): Promise<string> {
    const canonical = normaliseEmail(email);
    if (canonical === null) throw new LeftOutError('not a usable e-mail address');
    const isTaken = await userRecord.has(this.parts.database, { email: canonical });
    if (isTaken) throw new LeftOutError('the portal has an account with this e-mail already');
    return canonical;
  }

  /** @returns the id of the account. @throws LeftOutError */
  async write(developer: FoundDeveloper, apps: readonly FoundApp[]): Promise<number> {
    const email = await this.check(developer);
    try {
      return await this.writeAll(apps, (transaction) => this.writeUser(developer, email, transaction));
    } catch (error) {
      if (!(error instanceof UniqueViolationError || error instanceof EmailTakenError)) throw error;
      throw new LeftOutError('the portal has an account with this e-mail already', { cause: error });
    }
  }

  /**
   * A team with those of its people whom the gateway knows as developers with an account here: never by an address that
   * somebody else may have.
   * @returns the id of its account
   */
  async writeTeam({ name, status, members, gatewayId }: FoundTeam, apps: readonly FoundApp[]): Promise<number> {
    const { database, clock, teams } = this.parts;
    const admins = new Map(members.map(({ email, isAdmin }) => [email.toLowerCase(), isAdmin]));
    const emails = [...new Set(members.flatMap(({ email }) => [email, email.toLowerCase()]))];
    const gatewayDevelopers =
      emails.length === 0 ? [] : await gatewayDeveloperRecord.findAll(database, { email: emails });
    const known = gatewayDevelopers.map(({ userId, email }) => ({
      userId,
      isAdmin: admins.get(email.toLowerCase()) ?? false,
    }));
    if (!known.some(({ isAdmin }) => isAdmin)) this.count.note(name, null, 'has no owner here; put one in');
    return this.writeAll(apps, async (transaction) => {
      const draft = { name, isActive: status === 'active', members: known };
      const { id: userId, email } = await teams.adopt(draft, transaction);
      await gatewayDeveloperRecord.insert(database, { userId, gatewayId, email, createdAt: clock.now() }, transaction);
      return userId;
    });
  }

  private async writeAll(apps: readonly FoundApp[], writeOwner: (transaction: Transaction) => Promise<number>) {
    const { database, products } = this.parts;
    const names = apps.flatMap(({ keys }) => keys.flatMap((key) => key.products.map(({ product }) => product)));
    const productIds = await products.idsOf(names);
    return database.transaction(async (transaction) => {
      const userId = await writeOwner(transaction);
      const taken = new Set<string>();
      for (const app of apps) await this.writeApp(userId, app, taken, productIds, transaction);
      return userId;
    });
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
    await gatewayDeveloperRecord.insert(database, { userId, gatewayId, email: known, createdAt: now }, transaction);
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
