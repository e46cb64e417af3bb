import type { ObjectSchema } from 'joi';
import type { AppView } from '../../domain/apps/index.js';
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

/** Of what changes apps and keys: a state or an account that does not allow it, and a gateway that does not follow. */
export const APP_ERRORS: readonly ErrorStatus[] = [403, 409, 502, 504];

type Ability = 'view' | 'create' | 'update' | 'delete';

/**
 * One of the two doors to apps. Behind both are the same routes; they differ in where they are, who may enter, and in
 * whose apps are meant.
 */
export interface AppEntryPoint {
  readonly context: RouteContext;
  /** Address of the list of apps. */
  readonly path: string;
  readonly params: EntryPointParams;
  readonly tags: { readonly apps: string; readonly credentials: string };
  /** `createApp` → `createUserApp`. */
  operation(name: string): string;
  /** What the policy layer is asked. */
  may(ability: Ability): { readonly policy?: readonly [Ability, string] };
  /** Of approve and revoke: admins may say why. */
  readonly approval: { readonly body?: ObjectSchema<{ reason?: string }> };
  readonly notes: { readonly create?: string; readonly approve: string; readonly revoke: string };
  readonly appReplies: AppReplies;
  /** Of a change; what comes back with the record differs. */
  readonly appBody: ObjectSchema<AppBody>;
  present(view: AppView): object;
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
