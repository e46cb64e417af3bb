import type { ObjectSchema } from 'joi';
import type { AppOwner, AppView } from '../../domain/apps/index.js';
import type { PortalServices } from '../../domain/services.js';
import type { ErrorStatus, RouteContext } from '../../http/index.js';
import { APP_ACTS, type AppAct } from './find.js';
import { presentAdminApp, presentApp } from './presenter.js';
import {
  appBody,
  approvalBody,
  ownAppReplies,
  ownParams,
  teamAppParams,
  userAppReplies,
  userAppParams,
  type AppBody,
  type AppReplies,
  type EntryPointParams,
} from './schema.js';

/** Errors of every change to apps and keys: state or account does not allow it, or the gateway fails. */
export const APP_ERRORS: readonly ErrorStatus[] = [403, 409, 502, 504];

/** How a route is entered: what authorizes it, and the record that it is about. */
interface Entrance<Request, Found> {
  readonly policy?: readonly ['view' | 'create' | 'update' | 'delete', string];
  readonly errors?: readonly ErrorStatus[];
  readonly find: (request: Request) => Promise<Found>;
}

/** One of the entry points to apps. All have the same routes; path, authorization and the owner of the apps differ. */
export interface AppEntryPoint {
  readonly context: RouteContext;
  /** Path of the list of apps. */
  readonly path: string;
  readonly params: EntryPointParams;
  readonly tags: { readonly apps: string; readonly credentials: string };
  /** `createApp` → `createUserApp`. */
  operation(name: string): string;
  /** Finds what an act is about, for somebody who may do it. */
  enter<Request, Found>(act: AppAct, find: (request: Request, act: AppAct) => Promise<Found>): Entrance<Request, Found>;
  /** Approve and revoke: admins may give a reason. */
  readonly approval: { readonly body?: ObjectSchema<{ reason?: string }> };
  readonly notes: {
    readonly list: string;
    readonly create?: string;
    readonly approve: string;
    readonly revoke: string;
  };
  readonly appReplies: AppReplies;
  /** Body of an update; the read-only fields that it may repeat differ. */
  readonly appBody: ObjectSchema<AppBody>;
  /** An app in a list. */
  present(view: AppView): object;
  /** A single app. */
  presentOne(services: PortalServices, view: AppView, owner: AppOwner): object | Promise<object>;
}

/** Developers and their own apps. */
export const ownEntryPoint: AppEntryPoint = {
  context: 'consumer',
  path: '/me/apps',
  params: ownParams,
  tags: { apps: 'Apps', credentials: 'Credentials' },
  operation: (name) => name,
  enter: (act, find) => ({ find: (request) => find(request, act) }),
  approval: {},
  notes: {
    list: 'List own apps',
    approve: 'What somebody else revoked, or nobody approved yet, takes `apps.selfApproval` or an admin.',
    revoke: 'Always allowed.',
  },
  appReplies: ownAppReplies,
  appBody,
  present: presentApp,
  presentOne: (_, view) => presentApp(view),
};

/** Admins and the apps of a developer. */
export const adminEntryPoint: AppEntryPoint = {
  context: 'admin',
  path: '/users/:user/apps',
  params: userAppParams,
  tags: { apps: 'Apps of developers', credentials: 'Credentials of developers' },
  operation: (name) => name.replace(/^[a-z]+/, (verb) => `${verb}User`),
  enter: asAdmin,
  approval: { body: approvalBody },
  notes: {
    list: 'List the apps of a developer',
    create: 'With products that the developer may use. It waits for approval like one that they create.',
    approve: 'The developer sees the reason.',
    revoke: 'The developer sees the reason, and cannot take the revocation back.',
  },
  appReplies: userAppReplies,
  appBody: appBody.label('UserAppInput'),
  present: (view) => presentAdminApp(view),
  presentOne: async ({ teams }, view, owner) => {
    const team = (await teams.teams.findByAccounts([owner.id])).get(owner.id);
    return presentAdminApp(view, { owner, team });
  },
};

function asAdmin<Request, Found>(act: AppAct, find: (request: Request, act: AppAct) => Promise<Found>) {
  return { policy: [APP_ACTS[act].policy, 'apps'], find: (request: Request) => find(request, act) } as const;
}

/** Members and the apps of a team: what each may do is the matter of their role. */
export const teamEntryPoint: AppEntryPoint = {
  ...ownEntryPoint,
  path: '/me/teams/:team/apps',
  params: teamAppParams,
  tags: { apps: 'Apps of teams', credentials: 'Credentials of teams' },
  operation: (name) => name.replace(/^[a-z]+/, (verb) => `${verb}Team`),
  notes: { ...ownEntryPoint.notes, list: 'List the apps of a team' },
  enter: (act, find) => ({ errors: [403], find: (request) => find(request, act) }),
};

/** Admins and the apps of a team. */
export const adminTeamEntryPoint: AppEntryPoint = {
  ...adminEntryPoint,
  path: '/teams/:team/apps',
  params: teamAppParams,
  tags: { apps: 'Apps of all teams', credentials: 'Credentials of all teams' },
  operation: (name) => name.replace(/^[a-z]+/, (verb) => `${verb}AnyTeam`),
  notes: { ...adminEntryPoint.notes, list: 'List the apps of a team, as admins do' },
};
