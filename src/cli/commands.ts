import { shippedDrivers } from '../shipped-drivers.js';
import type { CommandGroup } from './command.js';

const GATEWAY = 'Gateway';

/** The commands in help order. A command is one file in `commands/` and one entry here. */
const groups: readonly CommandGroup[] = [
  {
    title: 'Project',
    commands: [
      {
        name: 'init',
        summary: 'create a host project',
        load: async () => (await import('./commands/init.js')).init,
      },
      {
        name: 'serve',
        summary: 'run the portal',
        load: async () => (await import('./commands/serve.js')).serve,
      },
    ],
  },
  {
    title: 'Database',
    commands: [
      {
        name: 'migrate',
        summary: 'run the migrations that are pending',
        load: async () => (await import('./commands/migrate.js')).migrate,
      },
      {
        name: 'migrate:status',
        summary: 'show which migrations have run',
        load: async () => (await import('./commands/migrate-status.js')).migrateStatus,
      },
      {
        name: 'migrate:rollback',
        summary: 'undo the migrations of the last run',
        load: async () => (await import('./commands/migrate-rollback.js')).migrateRollback,
      },
      {
        name: 'backup:create',
        summary: 'copy a SQLite database while the portal runs',
        load: async () => (await import('./commands/backup-create.js')).backupCreate,
      },
      {
        name: 'make:migration',
        summary: 'write a new migration into the project',
        load: async () => (await import('./commands/make-migration.js')).makeMigration,
      },
    ],
  },
  {
    title: 'Accounts',
    commands: [
      {
        name: 'rbac:seed',
        summary: 'add the permissions and roles that ship and are missing',
        load: async () => (await import('./commands/rbac-seed.js')).rbacSeed,
      },
      {
        name: 'admin:create',
        summary: 'create an admin account',
        load: async () => (await import('./commands/admin-create.js')).adminCreate,
      },
      {
        name: 'admin:unlock',
        summary: 'let an admin sign in again after too many wrong passwords',
        load: async () => (await import('./commands/admin-unlock.js')).adminUnlock,
      },
    ],
  },
  {
    title: 'Portal as code',
    commands: [
      {
        name: 'export',
        summary: 'write the catalog and what belongs to it as files',
        load: async () => (await import('./commands/export.js')).exportCommand,
      },
      {
        name: 'plan',
        summary: 'say what differs between files and portal',
        load: async () => (await import('./commands/plan.js')).planCommand,
      },
      {
        name: 'apply',
        summary: 'make the portal what files say',
        load: async () => (await import('./commands/apply.js')).applyCommand,
      },
      {
        name: 'adopt',
        summary: 'let files manage records that are there',
        load: async () => (await import('./commands/adopt.js')).adoptCommand,
      },
    ],
  },
  {
    title: 'Service tokens',
    commands: [
      {
        name: 'token:create',
        summary: 'give a machine a token for the admin API',
        load: async () => (await import('./commands/token-create.js')).tokenCreate,
      },
      {
        name: 'token:list',
        summary: 'list the tokens of machines',
        load: async () => (await import('./commands/token-list.js')).tokenList,
      },
      {
        name: 'token:revoke',
        summary: 'revoke the token of a machine',
        load: async () => (await import('./commands/token-revoke.js')).tokenRevoke,
      },
    ],
  },
  {
    title: 'Customise',
    commands: [
      {
        name: 'publish',
        summary: 'copy files of the package into the project, to change them',
        load: async () => (await import('./commands/publish.js')).publish,
      },
      {
        name: 'theme:publish',
        summary: 'copy views into the project, to change them',
        load: async () => (await import('./commands/theme-publish.js')).themePublish,
      },
      {
        name: 'theme:diff',
        summary: 'compare published views with those of the package',
        load: async () => (await import('./commands/theme-diff.js')).themeDiff,
      },
      {
        name: 'make:guide',
        summary: 'begin a guide as a Markdown file',
        load: async () => (await import('./commands/make-guide.js')).makeGuide,
      },
      {
        name: 'content:check',
        summary: 'find what is broken in guides and news',
        load: async () => (await import('./commands/content-check.js')).contentCheck,
      },
      {
        name: 'make:locale',
        summary: 'begin a language, or add the words that it lacks',
        load: async () => (await import('./commands/make-locale.js')).makeLocale,
      },
      {
        name: 'lang:check',
        summary: 'find the words that a language lacks',
        load: async () => (await import('./commands/lang-check.js')).langCheck,
      },
    ],
  },
  {
    title: 'API documentation',
    commands: [
      {
        name: 'docs:build',
        summary: 'write the OpenAPI document, the Postman collection and the reference of the API',
        load: async () => (await import('./commands/docs-build.js')).docsBuild,
      },
      {
        name: 'spec:diff',
        summary: 'say what changed between two OpenAPI documents, and what of it breaks callers',
        load: async () => (await import('./commands/spec-diff.js')).specDiff,
      },
      {
        name: 'workflow:run',
        summary: 'run the workflows of an Arazzo document against a server',
        load: async () => (await import('./commands/workflow-run.js')).workflowRun,
      },
    ],
  },
  {
    title: 'Extend',
    commands: [
      {
        name: 'make:admin-page',
        summary: 'write a page of the admin console, with a test',
        load: async () => (await import('./commands/make-admin-page.js')).makeAdminPage,
      },
      {
        name: 'make:auth-flow',
        summary: 'write login rules of your own, with a test',
        load: async () => (await import('./commands/make-auth-flow.js')).makeAuthFlow,
      },
      {
        name: 'make:controller',
        summary: 'write endpoints of your own, with a test',
        load: async () => (await import('./commands/make-controller.js')).makeController,
      },
      {
        name: 'make:gateway',
        summary: 'write a driver for a gateway of your own, with a test',
        load: async () => (await import('./commands/make-gateway.js')).makeGateway,
      },
      {
        name: 'make:module',
        summary: 'write a module, with a test',
        load: async () => (await import('./commands/make-module.js')).makeModule,
      },
    ],
  },
  {
    title: 'Content',
    commands: [
      {
        name: 'import',
        summary: 'make products of files, folders and addresses of API documents in one go',
        load: async () => (await import('./commands/import.js')).importCommand,
      },
      {
        name: 'product:import',
        summary: 'make products of OpenAPI documents, or bring them up to date',
        load: async () => (await import('./commands/product-import.js')).productImport,
      },
      {
        name: 'push',
        summary: 'give a product its document, and say what that changes for callers',
        load: async () => (await import('./commands/push.js')).push,
      },
      {
        name: 'search:rebuild',
        summary: 'write the index of the search anew',
        load: async () => (await import('./commands/search-rebuild.js')).searchRebuild,
      },
      {
        name: 'demo:seed',
        summary: 'fill the portal with a demo catalog and demo developers',
        load: async () => (await import('./commands/demo-seed.js')).demoSeed,
      },
    ],
  },
  {
    title: GATEWAY,
    commands: [
      {
        name: 'gateway:sync',
        summary: 'compare portal and gateway, and bring them together',
        load: async () => (await import('./commands/gateway-sync.js')).gatewaySync,
      },
      {
        name: 'gateway:import',
        summary: 'take over the developers, teams, apps and keys of a gateway',
        load: async () => (await import('./commands/gateway-import.js')).gatewayImport,
      },
      {
        name: 'gateway:test',
        summary: 'try what the configured gateway can do',
        load: async () => (await import('./commands/gateway-test.js')).gatewayTest,
      },
      {
        name: 'usage:import',
        summary: 'count the answers in access logs of proxies',
        load: async () => (await import('./commands/usage-import.js')).usageImport,
      },
      {
        name: 'keys:pattern',
        summary: 'print the regular expression that finds keys in code and logs',
        load: async () => (await import('./commands/keys-pattern.js')).keysPattern,
      },
      {
        name: 'webhooks:listen',
        summary: 'receive webhooks on this machine, check and print them',
        load: async () => (await import('./commands/webhooks-listen.js')).webhooksListen,
      },
    ],
  },
  {
    title: 'Housekeeping',
    commands: [
      {
        name: 'tokens:prune',
        summary: 'remove sign-ins and refresh tokens that ended long ago',
        load: async () => (await import('./commands/tokens-prune.js')).tokensPrune,
      },
      {
        name: 'sessions:end',
        summary: 'sign everybody out',
        load: async () => (await import('./commands/sessions-end.js')).sessionsEnd,
      },
      {
        name: 'keys:rotate',
        summary: 'replace the secrets of tokens and of encryption',
        load: async () => (await import('./commands/keys-rotate.js')).keysRotate,
      },
    ],
  },
  {
    title: 'Activity log',
    commands: [
      {
        name: 'audit:verify',
        summary: 'check that the activity log is as it was written',
        load: async () => (await import('./commands/audit-verify.js')).auditVerify,
      },
      {
        name: 'audit:prune',
        summary: 'remove activities that need not be kept any longer',
        load: async () => (await import('./commands/audit-prune.js')).auditPrune,
      },
    ],
  },
  {
    title: 'Inspect',
    commands: [
      {
        name: 'routes',
        summary: 'list every route with its auth and permission',
        load: async () => (await import('./commands/routes.js')).routes,
      },
      {
        name: 'doctor',
        summary: 'check the environment of the project',
        load: async () => (await import('./commands/doctor.js')).doctor,
      },
      {
        name: 'deploy:check',
        summary: 'check what is written down for a target, before it is deployed',
        load: async () => (await import('./commands/deploy-check.js')).deployCheck,
      },
      {
        name: 'config:show',
        summary: 'show the effective configuration and where each value comes from',
        load: async () => (await import('./commands/config-show.js')).configShow,
      },
    ],
  },
];

/** Every command, including those of the gateway drivers that ship. */
export async function shippedCommands(): Promise<readonly CommandGroup[]> {
  const ofDrivers = Object.values(await shippedDrivers()).flatMap(({ commands = [] }) => commands);
  return groups.map(({ title, commands }) => ({
    title,
    commands: title === GATEWAY ? [...commands, ...ofDrivers] : commands,
  }));
}
