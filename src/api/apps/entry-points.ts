import type { ObjectSchema } from 'joi';
import type { AppOwner, AppView } from '../../domain/apps/index.js';
import type { ErrorStatus, RouteContext } from '../../http/index.js';
import { presentAdminApp, presentApp } from './presenter.js';
import {
  appBody,
  approvalBody,
  ownAppReplies,
  ownParams,
  userAppReplies,
  userAppParams,
  type AppBody,
  type AppReplies,
  type EntryPointParams,
} from './schema.js';

/** Errors of every change to apps and keys: state or account does not allow it, or the gateway fails. */
export const APP_ERRORS: readonly ErrorStatus[] = [403, 409, 502, 504];

type Ability = 'view' | 'create' | 'update' | 'delete';

/** One of the two entry points to apps. Both have the same routes; path, authorization and the owner of the apps differ. */
export interface AppEntryPoint {
  readonly context: RouteContext;
  /** Path of the list of apps. */
  readonly path: string;
  readonly params: EntryPointParams;
  readonly tags: { readonly apps: string; readonly credentials: string };
  /** `createApp` → `createUserApp`. */
  operation(name: string): string;
  /** The policy check for an ability. */
  may(ability: Ability): { readonly policy?: readonly [Ability, string] };
  /** Approve and revoke: admins may give a reason. */
  readonly approval: { readonly body?: ObjectSchema<{ reason?: string }> };
  readonly notes: { readonly create?: string; readonly approve: string; readonly revoke: string };
  readonly appReplies: AppReplies;
  /** Body of an update; the read-only fields that it may repeat differ. */
  readonly appBody: ObjectSchema<AppBody>;
  /** @param owner in answers with a single app */
  present(view: AppView, owner?: AppOwner): object;
}

/** Developers and their own apps. */
export const ownEntryPoint: AppEntryPoint = {
  context: 'consumer',
  path: '/me/apps',
  params: ownParams,
  tags: { apps: 'Apps', credentials: 'Credentials' },
  operation: (name) => name,
  may: () => ({}),
  approval: {},
  notes: {
    approve: 'What somebody else revoked, or nobody approved yet, takes `apps.selfApproval` or an admin.',
    revoke: 'Always allowed.',
  },
  appReplies: ownAppReplies,
  appBody,
  present: presentApp,
};

/** Admins and the apps of a developer. */
export const adminEntryPoint: AppEntryPoint = {
  context: 'admin',
  path: '/users/:user/apps',
  params: userAppParams,
  tags: { apps: 'Apps of developers', credentials: 'Credentials of developers' },
  operation: (name) => name.replace(/^[a-z]+/, (verb) => `${verb}User`),
  may: (ability) => ({ policy: [ability, 'apps'] }),
  approval: { body: approvalBody },
  notes: {
    create: 'With products that the developer may use. It waits for approval like one that they create.',
    approve: 'The developer sees the reason.',
    revoke: 'The developer sees the reason, and cannot take the revocation back.',
  },
  appReplies: userAppReplies,
  appBody: appBody.label('UserAppInput'),
  present: presentAdminApp,
};
