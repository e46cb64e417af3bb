import type { ActivityChanges, ActivityRecord, ChainCheckReport } from '../../domain/audit-log/index.js';
import { csvLine } from '../../core/index.js';

/** An activity as admins see it. */
export function presentActivity(activity: ActivityRecord) {
  const { id, action, changes, ip, userAgent, requestId, createdAt } = activity;
  return {
    id,
    action,
    actor: {
      type: activity.actorType,
      id: activity.actorId,
      name: activity.actorName,
      email: activity.actorEmail,
    },
    subject: subjectOf(activity),
    changes: changes ?? {},
    ip,
    user_agent: userAgent,
    request_id: requestId,
    created_at: createdAt,
  };
}

/** Whether the log is as it was written, as far as the last verification knows. */
export function presentChain({ position, verified, verifiedUntil, fault, lastId }: ChainCheckReport) {
  return {
    state: fault ? 'broken' : verified ? 'whole' : 'unverified',
    verified: verified && { id: verified.id, until: verifiedUntil, at: verified.at },
    fault: fault && { id: fault.id, reason: fault.reason, found_at: fault.at },
    position: position.id,
    last_id: lastId,
  };
}

/** Fields whose values developers can see in their own records anyway. */
const SHOWN_TO_DEVELOPERS = new Set(
  (
    'name display_name description callback_url first_name last_name email pending_email locale custom_attributes status ' +
    'status_reason reason product products credential expires_at session plan period threshold limit used ends hour calls'
  ).split(' '),
);

/**
 * An activity as shown to the developer it concerns. Of other actors only the kind is shown: no name, address or device
 * of an admin, and no field that only admins see.
 */
export function presentOwnActivity(activity: ActivityRecord, userId: number) {
  const { actorType: type, actorId } = activity;
  const isOwn = type === 'developer' && actorId === userId;
  // Failed sign-ins show what is known of the visitor, who may have been somebody else.
  const isStranger = type === 'visitor';
  const shown = presentActivity(activity);
  return {
    ...shown,
    actor: isOwn ? shown.actor : { type, id: null, name: null, email: null },
    changes: selectShown(shown.changes),
    ...(isOwn || isStranger ? {} : { ip: null, user_agent: null, request_id: null }),
  };
}

/** Of teams, beside these: without who asked or was invited, who may be nobody's member. */
const SHOWN_TO_TEAMS = new Set(
  'member role state domain mode invitation members_limit apps_limit keys_limit'.split(' '),
);

/**
 * An activity as shown to members of the team that it concerns.
 * @param names of its members, by their id. Everybody else is nameless, and whoever works for the portal is the operator.
 */
export function presentTeamActivity(activity: ActivityRecord, names: ReadonlyMap<number, string>) {
  const { actorType, actorId } = activity;
  const isDeveloper = actorType === 'developer';
  const name = isDeveloper && actorId !== null ? (names.get(actorId) ?? null) : null;
  const shown = presentActivity(activity);
  const inTeam = Object.entries(shown.changes).filter(([field]) => SHOWN_TO_TEAMS.has(field));
  return {
    ...shown,
    actor: { type: isDeveloper ? 'developer' : 'operator', id: name === null ? null : actorId, name, email: null },
    changes: { ...selectShown(shown.changes), ...Object.fromEntries(inTeam) },
    ...{ ip: null, user_agent: null, request_id: null },
  };
}

export const EXPORT_COLUMNS = [
  'id',
  'created_at',
  'action',
  'actor_type',
  'actor_id',
  'actor_name',
  'actor_email',
  'subject_type',
  'subject_id',
  'subject_label',
  'changes',
  'ip',
  'user_agent',
  'request_id',
] as const;

export function activityLine(activity: ActivityRecord): string {
  const { id, createdAt, action, actorType, actorId, actorName, actorEmail } = activity;
  const { subjectType, subjectId, subjectLabel, changes, ip, userAgent, requestId } = activity;
  return csvLine([
    ...[id, createdAt, action, actorType, actorId, actorName, actorEmail],
    ...[subjectType, subjectId, subjectLabel, changes, ip, userAgent, requestId],
  ]);
}

function subjectOf({ subjectType: type, subjectId: id, subjectLabel: label }: ActivityRecord) {
  return type === null ? null : { type, id, label };
}

function selectShown(changes: ActivityChanges): ActivityChanges {
  return Object.fromEntries(Object.entries(changes).filter(([field]) => SHOWN_TO_DEVELOPERS.has(field)));
}
