import Joi from 'joi';
import type { Clock } from '../../core/index.js';
import { fullName } from '../../domain/accounts/index.js';
import {
  codeState,
  JOIN_MODES,
  type JoinMode,
  type JoinRequest,
  type OwnJoinRequest,
  type TeamCode,
  type TeamDomain,
  type TeamOffer,
} from '../../domain/teams/index.js';
import { idParam, idReply, nameField, timestampReply } from '../fields.js';
import type { TeamParams } from './team-schema.js';

const DAY_S = 86_400;
const YEAR_S = 366 * DAY_S;

const teamId = idParam.description('Id of the team.').example(4);
const role = Joi.string().max(32).example('developer');
const mode = Joi.string()
  .valid(...JOIN_MODES)
  .description('`ask`: somebody of the team lets them in; `join`: they come in at once.')
  .example('ask');

export type DomainParams = TeamParams & { readonly domain: number };
export type RequestParams = TeamParams & { readonly request: number };
export type CodeParams = TeamParams & { readonly code: number };

const requestId = idParam.description('Id of the request.').example(3);
export const domainParams = Joi.object<DomainParams>({
  team: teamId,
  domain: idParam.description('Id of the domain in the team.').example(2),
});
export const requestParams = Joi.object<RequestParams>({ team: teamId, request: requestId });
export const ownRequestParams = Joi.object<{ request: number }>({ request: requestId });
export const codeParams = Joi.object<CodeParams>({
  team: teamId,
  code: idParam.description('Id of the code.').example(2),
});

export const newDomainBody = Joi.object<{ domain: string; mode: JoinMode; role: string }>({
  domain: Joi.string().max(254).required().description('With or without the @.').example('example.com'),
  mode: mode.required(),
  role: role.default('developer').description('Of who comes in by it; one that manages no members.'),
}).label('NewTeamDomainInput');

export const domainBody = Joi.object<{ mode?: JoinMode; role?: string }>({ mode, role }).label('TeamDomainInput');

export const domainReply = Joi.object({
  id: idReply.required(),
  domain: Joi.string().required().example('example.com'),
  mode: mode.required(),
  role: role.required(),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('TeamDomain');

export const presentDomain = ({ id, domain, mode: how, role: given, createdAt, updatedAt }: TeamDomain) => ({
  ...{ id, domain, mode: how, role: given },
  ...{ created_at: createdAt, updated_at: updatedAt },
});

export const acceptBody = Joi.object<{ role?: string }>({
  role: role.description('By default that of the domain.'),
}).label('TeamRequestAnswer');

const requestState = Joi.string().valid('pending', 'accepted', 'declined', 'withdrawn', 'left').required();

export const requestReply = Joi.object({
  id: idReply.required(),
  user: idReply.required().description('Id of the developer.'),
  email: Joi.string().required().example('ada@example.com'),
  full_name: Joi.string().required().example('Ada Lovelace'),
  state: requestState.description('`left`: was in the team and is not any more.').example('pending'),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('TeamRequest');

export const presentRequest = ({ id, userId, email, state, createdAt, updatedAt, ...names }: JoinRequest) => ({
  ...{ id, user: userId, email, full_name: fullName(names), state },
  ...{ created_at: createdAt, updated_at: updatedAt },
});

const shownTeam = Joi.object({ id: idReply.required(), name: Joi.string().required().example('Analytical Engines') });

export const newRequestBody = Joi.object<{ team: number }>({
  team: teamId.required().description('A team of `listTeamOffers`.'),
}).label('NewTeamRequestInput');

export const ownRequestReply = Joi.object({
  id: idReply.required(),
  team: shownTeam.required(),
  state: requestState.example('pending'),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('OwnTeamRequest');

export const presentOwnRequest = ({ request, team }: OwnJoinRequest) => ({
  ...{ id: request.id, team: { id: team.id, name: team.name }, state: request.state },
  ...{ created_at: request.createdAt, updated_at: request.updatedAt },
});

export const offerReply = Joi.object({
  team: shownTeam.required(),
  mode: mode.required().description('`join`: asking lets the caller in at once.'),
  request: idReply.allow(null).required().description('The request of the caller that waits for an answer.'),
}).label('TeamOffer');

export const presentOffer = ({ team: { id, name }, mode: how, request }: TeamOffer) => ({
  ...{ team: { id, name }, mode: how },
  request: request?.state === 'pending' ? request.id : null,
});

export const redeemBody = Joi.object<{ code: string }>({
  code: Joi.string().max(100).required().description('As it was handed out.').example('7K3QD-0M9ZX-TR4WA-B8N2C'),
}).label('TeamCodeInput');

export const newCodeBody = Joi.object<{ name: string; role: string; max_uses: number; expires_in: number }>({
  name: nameField(100).required().description('What it is handed out for.').example('Partners 2027'),
  role: role.default('developer').description('Of who comes in by it; anyone but `owner`.'),
  max_uses: Joi.number().integer().min(1).max(100_000).required().description('How many people.').example(50),
  expires_in: Joi.number()
    .integer()
    .min(60)
    .max(YEAR_S)
    .default(30 * DAY_S)
    .description('Seconds, by default 30 days; at most 366 days.')
    .example(30 * DAY_S),
}).label('NewTeamCodeInput');

const code = Joi.object({
  id: idReply.required(),
  name: Joi.string().required().example('Partners 2027'),
  role: role.required(),
  state: Joi.string().valid('active', 'expired', 'used-up', 'revoked').required(),
  uses: Joi.number().integer().required().description('How many people came in by it.').example(0),
  max_uses: Joi.number().integer().required().example(50),
  expires_at: timestampReply.required(),
  revoked_at: timestampReply.allow(null).required().example(null),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
});

export const codeReply = code.label('TeamCode');
export const toldCodeReply = code
  .keys({ code: Joi.string().required().description('Told once.').example('7K3QD-0M9ZX-TR4WA-B8N2C') })
  .label('TeamCodeWithSecret');

export function presentCode(record: TeamCode, clock: Clock) {
  const { id, name, role: given, uses, maxUses, expiresAt, revokedAt, createdAt, updatedAt } = record;
  return {
    ...{ id, name, role: given, state: codeState(record, clock.now()), uses, max_uses: maxUses },
    ...{ expires_at: expiresAt, revoked_at: revokedAt, created_at: createdAt, updated_at: updatedAt },
  };
}
