import {
  runAs,
  ConflictError,
  NotFoundError,
  type AuthAccount,
  type Logger,
  type PortalServices,
} from '../../index.js';
import type { Claims } from './identity-provider.js';
import type { Provider, TeamGroups } from './provider.js';

interface TeamsParts {
  readonly teams: PortalServices['teams'];
  readonly logger: Logger;
}

interface MappedTeam {
  readonly id: number;
  /** Group → role, in the order of the configuration. */
  readonly roles: ReadonlyMap<string, string>;
}

/**
 * Keeps a developer's places in teams in step with their groups, at every sign-in. Only places whose role a group of that team
 * gives are taken away or changed: whom a team made its owner by hand stays that.
 */
export class DeveloperTeams {
  constructor(private readonly parts: TeamsParts) {}

  async follow(account: AuthAccount, provider: Provider, { teamGroups }: Claims): Promise<void> {
    const mapped = provider.teams === null ? [] : teamsOf(provider.teams);
    if (mapped.length === 0) return;
    const person = { type: 'system', id: null, name: `OIDC: ${provider.name}`, email: null } as const;
    await runAs({ person, request: null }, async () => {
      for (const team of mapped) await this.followOne(account.id, team, teamGroups);
    });
  }

  // A team that is gone or full, or would lose its last owner, keeps nobody from signing in.
  private async followOne(userId: number, mapped: MappedTeam, groups: readonly string[]): Promise<void> {
    try {
      await this.apply(userId, mapped, groups);
    } catch (error) {
      if (!(error instanceof ConflictError || error instanceof NotFoundError)) throw error;
      const what = 'a place in a team does not follow the groups';
      this.parts.logger.warn({ err: error, team: mapped.id, user: userId }, what);
    }
  }

  private async apply(userId: number, { id, roles }: MappedTeam, groups: readonly string[]): Promise<void> {
    const { members, teams } = this.parts.teams;
    const team = await teams.find(id);
    const wanted = [...roles].find(([group]) => groups.includes(group))?.[1] ?? null;
    const present = await members.roleOf(userId, team);
    const isManaged = present === null || [...roles.values()].includes(present);
    if (!isManaged || present === wanted) return;
    if (wanted === null) await members.remove(team, userId, null);
    else if (present === null) await members.put(team, { id: userId }, wanted);
    else await members.setRole(team, userId, wanted, null);
  }
}

function teamsOf({ groups }: TeamGroups): MappedTeam[] {
  const entries = Object.entries(groups);
  const ids = new Set(entries.map(([, { team }]) => team));
  return [...ids].map((id) => {
    const own = entries.filter(([, { team }]) => team === id);
    return { id, roles: new Map(own.map(([group, { role }]) => [group, role])) };
  });
}
