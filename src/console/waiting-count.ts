import { BoundedCache, type Clock } from '../core/index.js';
import type { AdminActor } from '../domain/auth/index.js';
import type { AdminOperations } from './console-resource.js';

/** As old as the numbers of the first page may be. */
const KEEP_MS = 5_000;
const MOST_ADMINS = 1_000;

/** How many decisions wait for an admin: the number in the navigation of every page. */
export class WaitingCount {
  private readonly counts: BoundedCache<number>;

  constructor(
    private readonly operations: AdminOperations,
    clock: Clock,
  ) {
    this.counts = new BoundedCache({ entries: MOST_ADMINS, age: { ms: KEEP_MS, clock } });
  }

  /** At most 5 seconds old. */
  read(actor: AdminActor): Promise<number> {
    return this.counts.read(String(actor.id), async () => {
      if (!(await this.operations.may('listWaiting', actor))) return 0;
      const request = { requestId: '', ip: '', userAgent: '' };
      const { page } = await this.operations.run('listWaiting', {
        ...{ actor, request, locale: '' },
        query: { per_page: '1' },
      });
      return page?.total ?? 0;
    });
  }

  /** After a decision of this admin, who sees the number on the next page. */
  forget({ id }: Pick<AdminActor, 'id'>): void {
    this.counts.delete(String(id));
  }
}
