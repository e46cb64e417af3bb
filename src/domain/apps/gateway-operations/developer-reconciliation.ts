import { ConflictError } from '../../../core/index.js';
import type { UserRecord } from '../../accounts/index.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedApp } from '../app/app-reader.js';
import { appDeletion } from './app-operations.js';

/** Updates a developer at the gateway to match their account; idempotent. */
export class DeveloperReconciliation {
  constructor(private readonly parts: AppParts) {}

  /** Settles every earlier log entry about the account. @param email their last known one */
  async run(userId: number, email: string): Promise<void> {
    const { developers, operationLog, reader } = this.parts;
    const until = await operationLog.findNewestId(userId);
    const owner = await reader.findOwner(userId);
    if (owner) await this.follow(owner);
    else {
      await developers.remove({ id: userId, email });
      await developers.forget({ id: userId, email });
    }
    await operationLog.dropOfDeveloper(userId, until);
  }

  private async follow(owner: UserRecord): Promise<void> {
    const { developers, reader } = this.parts;
    const apps = await reader.appsOf(owner.id);
    for (const app of apps.filter(({ syncState }) => syncState === 'deleting'))
      await this.finishDeletion({ owner, app });
    // A developer who never had an app does not exist there, and need not.
    if (apps.length === 0 && !(await developers.isKnown(owner))) return;
    await this.introduce(owner);
    // Read again: the account may have changed during the gateway call.
    const present = await reader.findOwner(owner.id);
    if (present) await developers.setStatus(present, await reader.appsOf(owner.id));
  }

  // Left by an interrupted account deletion: its keys are gone, at least in part.
  private async finishDeletion(owned: OwnedApp): Promise<void> {
    const { leases, gateway, database } = this.parts;
    const by = { type: 'developer', id: owned.owner.id } as const;
    await leases.holdNow(owned.app.id, async () => {
      await gateway.removeApp(owned);
      await database.transaction((transaction) => appDeletion(this.parts, owned, by).commit(transaction));
    });
  }

  private async introduce(owner: UserRecord): Promise<void> {
    const { developers, logger } = this.parts;
    try {
      await developers.ensure(owner);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      logger.warn(
        { err: error, user: owner.id },
        'the gateway keeps the old e-mail of a developer: the new one is taken',
      );
    }
  }
}
