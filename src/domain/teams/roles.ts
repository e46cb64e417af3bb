import { DeclarationError, ValidationError } from '../../core/index.js';

/** An ability in a team, as roles name it. */
export const TEAM_ABILITIES = [
  'team.view',
  'team.update',
  'team.delete',
  'team.members.view',
  'team.members.manage',
  'team.domains.manage',
  'team.activity.view',
  'app.view',
  'app.create',
  'app.update',
  'app.delete',
  'app.keys.manage',
  'app.keys.reveal',
  'app.keys.rotate',
  'app.transfer',
  'usage.view',
  'webhooks.manage',
] as const;
export type TeamAbility = (typeof TEAM_ABILITIES)[number];

/** The role that at least one member of every team has. */
export const OWNER = 'owner';

const VIEWER: readonly TeamAbility[] = ['team.view', 'team.members.view', 'app.view', 'usage.view'];
const DEVELOPER: readonly TeamAbility[] = [
  ...VIEWER,
  'app.create',
  'app.update',
  'app.keys.manage',
  'app.keys.reveal',
  'app.keys.rotate',
];

/** The roles that ship. A viewer never sees a key. @internal */
export const SHIPPED_ROLES: Readonly<Record<string, readonly TeamAbility[]>> = {
  [OWNER]: TEAM_ABILITIES,
  manager: TEAM_ABILITIES.filter((ability) => ability !== 'team.delete'),
  developer: DEVELOPER,
  viewer: VIEWER,
};

const ROLE_NAME = /^[a-z][a-z0-9-]{0,31}$/;

/** The roles of this portal's teams, and what each may do. */
export class TeamRoles {
  private readonly table: ReadonlyMap<string, ReadonlySet<TeamAbility>>;

  /**
   * @param further roles of the host: name → abilities
   * @throws DeclarationError for a name that is taken or unusable, and for an ability that does not exist
   */
  constructor(further: Readonly<Record<string, readonly string[]>> = {}) {
    for (const [name, abilities] of Object.entries(further)) requireRole(name, abilities);
    const all = { ...SHIPPED_ROLES, ...(further as Readonly<Record<string, readonly TeamAbility[]>>) };
    this.table = new Map(Object.entries(all).map(([name, abilities]) => [name, new Set(abilities)]));
  }

  get names(): string[] {
    return [...this.table.keys()];
  }

  /** Empty for a role that the host has removed. */
  abilitiesOf(role: string): ReadonlySet<TeamAbility> {
    return this.table.get(role) ?? new Set();
  }

  may(role: string, ability: TeamAbility): boolean {
    return this.abilitiesOf(role).has(ability);
  }

  /** The roles that have an ability. */
  rolesWith(ability: TeamAbility): string[] {
    return this.names.filter((role) => this.may(role, ability));
  }

  /** Whether a role has every ability of another: nobody gives or takes abilities that they lack themselves. */
  covers(role: string, other: string): boolean {
    const held = this.abilitiesOf(role);
    return [...this.abilitiesOf(other)].every((ability) => held.has(ability));
  }

  /** @throws ValidationError on `role` for one that does not exist */
  require(role: string): void {
    if (this.table.has(role)) return;
    throw new ValidationError({ role: [`The roles in teams are ${this.names.join(', ')}.`] });
  }
}

function requireRole(name: string, abilities: unknown): void {
  if (!ROLE_NAME.test(name) || Object.hasOwn(SHIPPED_ROLES, name)) {
    throw new DeclarationError(`teams.roles: "${name}" must be another name, of small letters, digits and dashes.`);
  }
  const known: readonly string[] = TEAM_ABILITIES;
  const list = Array.isArray(abilities) ? (abilities as readonly unknown[]) : [abilities];
  const unknown = list.find((ability) => !known.includes(String(ability)));
  if (unknown === undefined && Array.isArray(abilities)) return;
  throw new DeclarationError(`teams.roles.${name}: "${String(unknown)}" is none of ${known.join(', ')}.`);
}
