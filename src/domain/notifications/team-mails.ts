import type { Transaction } from '../../database/index.js';
import { addressUser, UserDeletedEvent } from '../accounts/index.js';
import {
  AppTransferEndedEvent,
  AppTransferOfferedEvent,
  AppTransferredEvent,
  type AppRecord,
  type Initiator,
} from '../apps/index.js';
import {
  TeamMemberLeftEvent,
  type KeySights,
  type MemberService,
  type Recipient,
  type TeamAbility,
  type TeamRecord,
} from '../teams/index.js';
import type { NotificationParts } from './notifications.js';

interface TeamMailParts extends Pick<NotificationParts, 'events' | 'recipients' | 'mail' | 'pages' | 'defaultLocale'> {
  readonly sights: Pick<KeySights, 'seenBy'>;
  readonly members: Pick<MemberService, 'roleOf'>;
  /** Endpoints of a team that a member made or whose secret they know. */
  readonly webhooksOf: (
    accountId: number,
    who: { readonly userId: number; readonly maySee: boolean },
    transaction: Transaction,
  ) => Promise<readonly { readonly host: string }[]>;
  /** Absolute URL of a page of the theme. */
  readonly page: (path: string) => string;
}

/** What happened to an app between two owners, and which of them is told. */
interface News {
  readonly app: AppRecord;
  readonly by: Initiator;
  /** Account that is told, or whose members are. */
  readonly side: number;
  /** Account that has the app, or is to have it. */
  readonly toId: number;
  readonly template: string;
  /** What a member of a team must be able to do to be told; by default, to change its apps. */
  readonly ability?: TeamAbility;
  readonly url: (told: Recipient) => string;
}

/** Mails about apps that go from one owner to another, and about what somebody knows who has left their team. */
export class TeamMails {
  constructor(private readonly parts: TeamMailParts) {}

  listen(): void {
    this.listenToLeavers();
    const { events, page, pages } = this.parts;
    events.within(AppTransferOfferedEvent, (fact, transaction) => {
      const news = { ...fact, side: fact.toId, template: 'app-offered', ability: 'app.create' } as const;
      return this.tell({ ...news, url: () => page('/app-transfers') }, transaction);
    });
    events.within(AppTransferEndedEvent, async (fact, transaction) => {
      if (fact.state === 'withdrawn') return;
      const url = ({ team }: Recipient) => pages.app(fact.app.name, team?.id ?? null);
      await this.tell({ ...fact, side: fact.app.userId, template: 'app-declined', url }, transaction);
    });
    events.within(AppTransferredEvent, async ({ app, by, fromId }, transaction) => {
      const news = { app, by, toId: app.userId, template: 'app-transferred' };
      const list = ({ team }: Recipient) => page(team ? `/teams/${team.id}/apps` : '/apps');
      await this.tell({ ...news, side: fromId, url: list }, transaction);
      if (by.type === 'developer') return;
      const own = ({ team }: Recipient) => pages.app(app.name, team?.id ?? null);
      await this.tell({ ...news, side: app.userId, url: own }, transaction);
    });
  }

  // Told before the account is gone, and after the place in the team is.
  private listenToLeavers(): void {
    const { events, recipients, members } = this.parts;
    events.within(TeamMemberLeftEvent, ({ team, userId, role }, transaction) =>
      this.tellOfSights(team, { userId, role }, transaction),
    );
    events.within(UserDeletedEvent, async ({ user }, transaction) => {
      for (const team of await recipients.teamsOf(user.id, transaction)) {
        const role = (await members.roleOf(user.id, team, transaction)) ?? '';
        await this.tellOfSights(team, { userId: user.id, role }, transaction);
      }
    });
  }

  private async tellOfSights(
    team: TeamRecord,
    { userId, role }: { readonly userId: number; readonly role: string },
    transaction: Transaction,
  ): Promise<void> {
    const { recipients, sights, webhooksOf, mail, page, defaultLocale } = this.parts;
    const keys = await sights.seenBy(team, userId, transaction);
    const maySee = recipients.noticesOf(role).includes('webhooks');
    const known = await webhooksOf(team.accountId, { userId, maySee }, transaction);
    if (keys.length + known.length === 0) return;
    const webhooks = [...new Set(known.map(({ host }) => host))].join(', ');
    const name = await recipients.nameOf(userId, transaction);
    const url = page(`/teams/${team.id}/keys`);
    for (const { user } of await recipients.of(team.accountId, 'keys', transaction, 'team.members.manage')) {
      if (user.id === userId) continue;
      const values = { team: team.name, person: name, keys: keys.length, webhooks, url };
      const letter = { ...addressUser(user), locale: user.locale ?? defaultLocale };
      await mail.queue({ template: 'team-keys-seen', ...letter, values }, transaction);
    }
  }

  private async tell({ app, by, side, toId, template, ability, url }: News, transaction: Transaction): Promise<void> {
    const { recipients, mail, defaultLocale } = this.parts;
    const to = await recipients.nameOf(toId, transaction);
    for (const told of await recipients.of(side, 'apps', transaction, ability)) {
      const { user } = told;
      if (user.status !== 'active' || (by.type === 'developer' && by.id === user.id)) continue;
      const values = { app: app.displayName, to, url: url(told) };
      const letter = { ...addressUser(user), locale: user.locale ?? defaultLocale };
      await mail.queue({ template, ...letter, values }, transaction);
    }
  }
}
