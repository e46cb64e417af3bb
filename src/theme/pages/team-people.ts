import { NotFoundError } from '../../core/index.js';
import type { TeamAbility, TeamMember, TeamSeat } from '../../domain/teams/index.js';
import type { FreshSecret } from '../../domain/webhooks/index.js';
import { field } from '../form.js';
import { definePage, Redirect, type FormState, type Page, type View } from '../page.js';
import { requireFields } from './account-forms.js';
import { asApprover, parseId, type DeveloperVisit } from './show-app.js';
import {
  knowerOf,
  ownSeat,
  REMOVAL_OVERLAP_S,
  showExposedKeys,
  showRemoval,
  showTeam,
  showTeamSettings,
  type OpenedSecrets,
} from './show-team.js';

const ONE = '/teams/:team';
const MEMBER = `${ONE}/members/:member`;
const INVITATION = `${ONE}/invitations/:invitation`;

type Show = (visit: DeveloperVisit, state?: FormState) => Promise<View>;
type Act = (visit: DeveloperVisit, seat: TeamSeat) => Promise<Redirect>;

export const get = (path: string, handle: (visit: DeveloperVisit) => Promise<View>): Page =>
  definePage({ method: 'get', path, audience: 'developers', handle });

/** A form; what is refused is told on the page that it is on. */
export const post = (path: string, handle: (visit: DeveloperVisit) => Promise<Redirect>, retry: Show): Page =>
  definePage({ method: 'post', path, audience: 'developers', handle, retry });

/** A form of a team: the same ability as the route of the API that does the same. */
export const postTo = (path: string, ability: TeamAbility, act: Act, retry: Show = showTeam): Page =>
  post(path, async (visit) => act(visit, await ownSeat(visit, ability)), retry);

const senderOf = ({ locale }: DeveloperVisit, by: TeamSeat) => ({ team: by.team, by, locale });
const backTo = ({ team }: TeamSeat, flash: string) => new Redirect(`/teams/${team.id}`, flash);
const backToSettings = ({ team }: TeamSeat, flash: string) => new Redirect(`/teams/${team.id}/settings`, flash);
const readMode = ({ request }: DeveloperVisit) =>
  field(request, 'mode') === 'join' ? ('join' as const) : ('ask' as const);

/** Who is in a team, who is invited and who asks. */
export const peoplePages = [
  postTo(`${MEMBER}/role`, 'team.members.manage', async (visit, seat) => {
    const userId = parseId(visit.params.member);
    await visit.services.teams.members.setRole(seat.team, userId, field(visit.request, 'role'), seat);
    return backTo(seat, 'team-role');
  }),
  get(`${MEMBER}/remove`, (visit) => showRemoval(visit)),
  postTo(`${MEMBER}/remove`, 'team.members.manage', removeMember, retryRemoval),
  get(`${ONE}/keys`, showExposedKeys),
  postTo(`${ONE}/invitations`, 'team.members.manage', async (visit, seat) => {
    requireFields(visit.request, ['email']);
    const input = { email: field(visit.request, 'email'), role: field(visit.request, 'role') };
    await visit.services.teams.invitations.invite(senderOf(visit, seat), input);
    return backTo(seat, 'team-invited');
  }),
  postTo(`${INVITATION}/resend`, 'team.members.manage', async (visit, seat) => {
    const { invitations } = visit.services.teams;
    const invitation = await invitations.find(seat.team, parseId(visit.params.invitation));
    await invitations.resend(senderOf(visit, seat), invitation);
    return backTo(seat, 'team-invited');
  }),
  postTo(`${INVITATION}/withdraw`, 'team.members.manage', async (visit, seat) => {
    const { invitations } = visit.services.teams;
    await invitations.withdraw(seat.team, await invitations.find(seat.team, parseId(visit.params.invitation)));
    return backTo(seat, 'team-withdrawn');
  }),
];

/** The keys that the person has seen, and secrets of webhooks, are replaced in the same act, when that was asked for. */
async function removeMember(visit: DeveloperVisit, seat: TeamSeat): Promise<Redirect> {
  const { teams, apps } = visit.services;
  const userId = parseId(visit.params.member);
  const { role } = await teams.members.find(seat.team, userId);
  const rotates = field(visit.request, 'rotate') !== '' && seat.abilities.has('app.keys.rotate');
  const seen = rotates ? await teams.sights.seenBy(seat.team, userId) : [];
  await teams.members.remove(seat.team, userId, seat);
  const gone = { userId, role };
  // Before the gateway, which may not answer; a secret after it, since who is not answered is not told it.
  await turnOffWebhooks(visit, seat, gone);
  if (seen.length > 0) {
    const owner = await teams.teams.accountOf(seat.team);
    const ids = seen.map(({ id }) => id);
    await apps.rotation.rotateEach(owner, ids, { overlap: readOverlap(visit) }, asApprover(visit.actor));
  }
  const flash = rotates ? 'team-removed-rotated' : 'team-removed';
  const fresh = await replaceSecrets(visit, seat, gone);
  if (fresh.length === 0) return backTo(seat, flash);
  return new Redirect(`/teams/${seat.team.id}/keys`, flash, {
    once: { team: seat.team.id, fresh } satisfies OpenedSecrets,
  });
}

/** Who is gone already, where the gateway failed after that, has no page of a removal any more. */
async function retryRemoval(visit: DeveloperVisit, state?: FormState): Promise<View> {
  try {
    return await showRemoval(visit, state);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return showTeam(visit, state);
  }
}

type Gone = Pick<TeamMember, 'userId' | 'role'>;

/** Turns off webhooks whose address the leaving member gave, if that was asked for and is allowed. */
export async function turnOffWebhooks(visit: DeveloperVisit, { team, abilities }: TeamSeat, gone: Gone): Promise<void> {
  if (field(visit.request, 'webhooks_off') === '' || !abilities.has('webhooks.manage')) return;
  await visit.services.webhooks.sights.turnOff(team.accountId, knowerOf(visit, gone));
}

/** @returns the new secrets of webhooks, where they were asked for and may be told */
async function replaceSecrets(
  visit: DeveloperVisit,
  { team, abilities }: TeamSeat,
  gone: Gone,
): Promise<readonly FreshSecret[]> {
  if (field(visit.request, 'rotate_webhooks') === '' || !abilities.has('webhooks.manage')) return [];
  const told = { overlap: readOverlap(visit), seerId: visit.actor.id };
  return visit.services.webhooks.sights.replace(team.accountId, knowerOf(visit, gone), told);
}

// That of the settings, unless one was chosen.
function readOverlap({ request }: DeveloperVisit): number | undefined {
  const typed = field(request, 'overlap');
  return REMOVAL_OVERLAP_S.find((seconds) => String(seconds) === typed);
}

const REQUEST = `${ONE}/requests/:request`;
const DOMAIN = `${ONE}/domains/:domain`;

/** Requests to be in a team, and the mail domains that they come by. */
export const requestPages = [
  postTo(`${REQUEST}/accept`, 'team.members.manage', async (visit, seat) => {
    const { requests } = visit.services.teams;
    const request = await requests.find(seat.team, parseId(visit.params.request));
    await requests.accept(seat.team, seat, request, field(visit.request, 'role') || undefined);
    return backTo(seat, 'team-let-in');
  }),
  postTo(`${REQUEST}/decline`, 'team.members.manage', async (visit, seat) => {
    const { requests } = visit.services.teams;
    await requests.decline(seat.team, await requests.find(seat.team, parseId(visit.params.request)));
    return backTo(seat, 'team-refused');
  }),
  postTo(
    `${ONE}/domains`,
    'team.domains.manage',
    async (visit, seat) => {
      const [domain, role] = [field(visit.request, 'domain'), field(visit.request, 'role')];
      await visit.services.teams.domains.add(seat.team, seat, { domain, mode: readMode(visit), role });
      return backToSettings(seat, 'team-domain-added');
    },
    showTeamSettings,
  ),
  postTo(
    DOMAIN,
    'team.domains.manage',
    async (visit, seat) => {
      const { domains } = visit.services.teams;
      const domain = await domains.find(seat.team, parseId(visit.params.domain));
      const input = { mode: readMode(visit), role: field(visit.request, 'role') };
      await domains.change(seat.team, seat, domain, input);
      return backToSettings(seat, 'team-domain-saved');
    },
    showTeamSettings,
  ),
  postTo(
    `${DOMAIN}/remove`,
    'team.domains.manage',
    async (visit, seat) => {
      const { domains } = visit.services.teams;
      await domains.remove(seat.team, await domains.find(seat.team, parseId(visit.params.domain)));
      return backToSettings(seat, 'team-domain-removed');
    },
    showTeamSettings,
  ),
];
