import { View, type FormState } from '../page.js';
import type { DeveloperVisit } from './show-app.js';
import { ownSeat, teamValues } from './show-team.js';

/** Name and description of a team, and its end. */
export async function showTeamSettings(visit: DeveloperVisit, state?: FormState): Promise<View> {
  const seat = await ownSeat(visit, 'team.update');
  const { name, description } = seat.team;
  const values = { ...teamValues(seat, state), texts: { name, description, ...state?.old } };
  return new View('teams/settings', values, { heading: seat.team.name, status: state?.status ?? 200 });
}
