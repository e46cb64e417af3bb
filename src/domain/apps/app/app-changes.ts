import { ConflictError, NotFoundError } from '../../../core/index.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedApp, OwnedCredential } from './app-reader.js';
import type { LoggedOperation } from '../gateway-operations/operation.js';

/** Runs changes of an app and its keys one at a time, each starting from a state that portal and gateway agree on. */
export class AppChanges {
  constructor(private readonly parts: AppParts) {}

  /**
   * Runs a change exclusively, with the app's present state. Interrupted earlier changes are settled first.
   * @throws NotFoundError when it is gone, ConflictError while it is being deleted
   */
  async changeApp<T>(owned: OwnedApp, run: (present: OwnedApp) => Promise<T>): Promise<T> {
    return this.runExclusively(owned, async (present) => {
      refuseHalfDeleted(present);
      return run(present);
    });
  }

  /** The same with the present state of one credential, unless that is being deleted. */
  async changeCredential<T>(owned: OwnedCredential, run: (present: OwnedCredential) => Promise<T>): Promise<T> {
    return this.changeApp(owned, async (app) => {
      const present = await this.parts.reader.findCredential(app, owned.credential.id);
      refuseHalfDeleted(present);
      return run(present);
    });
  }

  /**
   * Deletes the app, also when a deletion is already under way. Other unfinished changes no longer matter, but that of its owner: a
   * part of it may be with each of them.
   */
  async deleteApp<T>(owned: OwnedApp, run: (present: OwnedApp) => Promise<T>): Promise<T> {
    return this.runExclusively(owned, run, ({ kind }) => kind === 'app.transfer');
  }

  /** The same for a credential of an app that stays. */
  async deleteCredential<T>(owned: OwnedCredential, run: (present: OwnedCredential) => Promise<T>): Promise<T> {
    const { id } = owned.credential;
    const isOther = ({ credentialId }: LoggedOperation) => credentialId !== id;
    const withKey = async (app: OwnedApp) => {
      refuseHalfDeleted(app);
      return run(await this.parts.reader.findCredential(app, id));
    };
    return this.runExclusively(owned, withKey, isOther);
  }

  private async runExclusively<T>(
    owned: OwnedApp,
    run: (present: OwnedApp) => Promise<T>,
    isRelevant?: (entry: LoggedOperation) => boolean,
  ): Promise<T> {
    const { leases, reader, recovery } = this.parts;
    const { id } = owned.app;
    return leases.hold(id, async () => {
      await recovery().settleApp(id, isRelevant);
      const present = await reader.reloadApp(owned);
      if (present.app.syncState === 'creating') throw new NotFoundError();
      return run(present);
    });
  }
}

/** A half-finished deletion can only be repeated. @throws ConflictError */
export function refuseHalfDeleted({ app, credential }: OwnedApp & Partial<OwnedCredential>): void {
  if (app.syncState === 'deleting') throw new ConflictError({ errors: { app: ['The app is being deleted.'] } });
  if (credential?.syncState === 'deleting') {
    throw new ConflictError({ errors: { credential: ['The key is being deleted.'] } });
  }
}
