import Joi from 'joi';
import { TEAM_ABILITIES, TEAM_NOTIFICATIONS, type TeamNotification } from '../../domain/teams/index.js';
import { emailField, idParam, idReply, nameField, textField, timestampReply, referencesField } from '../fields.js';

const MOST = 1_000_000;
const MOST_OVERLAP_S = 2_592_000;

const teamId = idParam.description('Id of the team.').example(4);
const memberId = idParam.description('Id of the developer.').example(1);

export interface TeamParams {
  readonly team: number;
}
export interface MemberParams extends TeamParams {
  readonly member: number;
}
export interface InvitationParams extends TeamParams {
  readonly invitation: number;
}

export const teamParams = Joi.object<TeamParams>({ team: teamId });
export const memberParams = Joi.object<MemberParams>({ team: teamId, member: memberId });
export const invitationParams = Joi.object<InvitationParams>({
  team: teamId,
  invitation: idParam.description('Id of the invitation.').example(2),
});
export const ownInvitationParams = Joi.object<{ invitation: number }>({
  invitation: idParam.description('Id of the invitation.').example(2),
});

interface TeamFields {
  name?: string;
  description?: string;
}

const fields = {
  name: nameField(100).example('Analytical Engines'),
  description: textField(500).example('Everything about payments.'),
};

export const newTeamBody = Joi.object<TeamFields & { name: string }>({
  ...fields,
  name: fields.name.required(),
}).label('NewTeamInput');

export const teamBody = Joi.object<TeamFields>(fields).label('TeamInput');

const limit = (what: string) =>
  Joi.number()
    .integer()
    .min(1)
    .max(MOST)
    .allow(null)
    .description(`How many ${what} it may have; null: as the configuration says.`)
    .example(null);

export interface AdminTeamBody extends TeamFields {
  status?: 'active' | 'closed';
  members_limit?: number | null;
  apps_limit?: number | null;
  keys_limit?: number | null;
}

export const newAdminTeamBody = Joi.object<TeamFields & { name: string; owner: number }>({
  ...fields,
  name: fields.name.required(),
  owner: idParam.description('Id of the developer who is its owner.').example(1),
}).label('NewAdminTeamInput');

export const adminTeamBody = Joi.object<AdminTeamBody>({
  ...fields,
  status: Joi.string().valid('active', 'closed').description('`closed`: its keys open nothing.').example('active'),
  members_limit: limit('members'),
  apps_limit: limit('apps'),
  keys_limit: limit('keys'),
}).label('AdminTeamInput');

export const teamAudiencesBody = Joi.object<{ audiences: (string | number)[] }>({
  audiences: referencesField(['partners']).required(),
}).label('TeamAudiencesInput');

const role = Joi.string().max(32).example('developer');

export const newMemberBody = Joi.object<{ user: number; role: string }>({
  user: memberId,
  role: role.required().description('A role of `listTeamRoles`.'),
}).label('NewTeamMemberInput');

const disableWebhooks = Joi.boolean().example(true);

interface RemovalQuery {
  readonly rotate_keys?: boolean;
  readonly rotate_webhooks?: boolean;
  readonly disable_webhooks?: boolean;
  readonly overlap?: number;
}

export const removalQuery = Joi.object<RemovalQuery>({
  rotate_keys: Joi.boolean().description('Replace the keys that the member has seen.').example(true),
  rotate_webhooks: Joi.boolean()
    .description('Replace the secrets of webhooks that the member knows; the new ones are in the answer.')
    .example(true),
  disable_webhooks: disableWebhooks.description('Turn off the webhooks whose address is of the member.'),
  overlap: Joi.number()
    .integer()
    .min(0)
    .max(MOST_OVERLAP_S)
    .description(
      'Seconds that the replaced keys still work; `apps.rotationOverlap` when omitted, 0 ends them at once. Replaced secrets of ' +
        'webhooks sign too for as long, a week at most; a day when omitted.',
    )
    .example(86_400),
});

export const leaveQuery = Joi.object<Pick<RemovalQuery, 'disable_webhooks'>>({
  disable_webhooks: disableWebhooks.description('Turn off the webhooks of the team whose address is of the caller.'),
});

const webhookId = idReply.required().description('Id of the endpoint, as `listTeamWebhooks` tells it.');
const webhookHost = Joi.string().required().description('Host of its address.').example('hooks.example.com');

export const removalReply = Joi.object({
  webhooks: Joi.array()
    .items(
      Joi.object({
        ...{ id: webhookId, host: webhookHost },
        secret: Joi.string()
          .required()
          .description('Told this once.')
          .example('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
      }).label('FreshTeamWebhook'),
    )
    .description('With `rotate_webhooks`: the secrets that were replaced.'),
}).label('TeamMemberRemoval');

export const knownWebhookReply = Joi.object({
  ...{ id: webhookId, host: webhookHost },
  status: Joi.string().valid('unverified', 'active').required().example('active'),
  made_by: Joi.string()
    .allow(null)
    .required()
    .description('Who gave it its address; null: an account that is gone, or nobody noted it.')
    .example('Ada Lovelace'),
  theirs: Joi.boolean().required().description('Those who are meant gave it its address.').example(true),
  secret: Joi.string()
    .valid('seen', 'unseen', 'unknown')
    .required()
    .description('Whether they were told its secret; `unknown`: nobody noted who was, and their role shows secrets.')
    .example('seen'),
}).label('KnownTeamWebhook');

/** Of an app that came from a team: who has seen it there is not told. */
export const exposedKeyReply = Joi.object({
  id: idReply.required(),
  consumer_key: Joi.string().required().description('Masked.').example('port••••x3Qa'),
  app: Joi.object({
    name: Joi.string().required().example('checkout'),
    display_name: Joi.string().required().example('Checkout'),
  }).required(),
}).label('ExposedKey');

export const seenKeyReply = exposedKeyReply
  .keys({
    seen_by: Joi.array()
      .items(Joi.string().allow(null).example('Ada Lovelace'))
      .required()
      .description('Who of those that are meant has seen it; null: an account that is gone.'),
  })
  .label('SeenTeamKey');

export const memberBody = Joi.object<{ role: string }>({
  role: role.required().example('owner', { override: true }).description('A role of `listTeamRoles`.'),
}).label('TeamMemberInput');

export const mutedBody = Joi.object<{ muted: TeamNotification[] }>({
  muted: Joi.array()
    .items(Joi.string().valid(...TEAM_NOTIFICATIONS))
    .max(TEAM_NOTIFICATIONS.length)
    .required()
    .description('What the member does not want to be mailed about.')
    .example(['usage']),
}).label('TeamNoticesInput');

export const invitationBody = Joi.object<{ email: string; role: string }>({
  email: emailField().required().description('Only whoever has proved this address may accept.'),
  role: role.required().description('A role of `listTeamRoles`.'),
}).label('TeamInvitationInput');

export const tokenBody = Joi.object<{ token: string }>({
  token: Joi.string().max(100).required().description('From the mail.').example('v0QhS3mJc…'),
}).label('TeamTokenInput');

const team = Joi.object({
  id: idReply.required(),
  name: Joi.string().required().example('Analytical Engines'),
  description: Joi.string().allow('').required().example('Everything about payments.'),
  status: Joi.string().valid('active', 'closed').required(),
  members: Joi.number().integer().required().description('How many.').example(3),
  apps: Joi.number().integer().required().description('How many.').example(2),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
});

export const teamReply = team
  .keys({
    role: Joi.string().required().description('Of the caller.').example('owner'),
    abilities: Joi.array()
      .items(Joi.string().valid(...TEAM_ABILITIES))
      .required()
      .description('What the caller may do in it.')
      .example(['team.view']),
    muted: Joi.array()
      .items(Joi.string().valid(...TEAM_NOTIFICATIONS))
      .required()
      .description('What the caller is not mailed about.')
      .example([]),
  })
  .label('Team');

export const adminTeamReply = team
  .keys({
    account_id: idReply.required().description('The account that will own its apps.').example(9),
    members_limit: Joi.number().integer().allow(null).required().example(null),
    apps_limit: Joi.number().integer().allow(null).required().example(null),
    keys_limit: Joi.number().integer().allow(null).required().example(null),
    audiences: Joi.array()
      .items(Joi.object({ id: idReply.required(), name: Joi.string().required().example('partners') }))
      .required()
      .description('Whose private products and plans its apps may use.')
      .example([]),
  })
  .label('AdminTeam');

export const memberReply = Joi.object({
  id: idReply.required().description('Of the developer.'),
  email: Joi.string().required().example('ada@example.com'),
  full_name: Joi.string().required().example('Ada Lovelace'),
  role: Joi.string().required().example('owner'),
  status: Joi.string().valid('active', 'inactive', 'pending').required().description('Of the account.'),
  joined_at: timestampReply.required(),
}).label('TeamMember');

export const invitationReply = Joi.object({
  id: idReply.required(),
  email: Joi.string().required().example('grace@example.com'),
  role: Joi.string().required().example('developer'),
  state: Joi.string().valid('pending', 'accepted', 'declined', 'withdrawn', 'expired').required(),
  expires_at: timestampReply.required(),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('TeamInvitation');

export const ownInvitationReply = Joi.object({
  id: idReply.required(),
  team: Joi.object({ id: idReply.required(), name: Joi.string().required().example('Analytical Engines') }).required(),
  role: Joi.string().required().example('developer'),
  expires_at: timestampReply.required(),
}).label('OwnTeamInvitation');

export const rolesReply = Joi.array().items(
  Joi.object({
    name: Joi.string().required().example('viewer'),
    abilities: Joi.array()
      .items(Joi.string().valid(...TEAM_ABILITIES))
      .required(),
  }).label('TeamRole'),
);
