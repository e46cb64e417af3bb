import type { AdminService, NewPasswords, UserService } from '../domain/accounts/index.js';
import type {
  ActivityReader,
  ActivityPruner,
  ChainGuard,
  ChainVerifier,
  PortalStatistics,
} from '../domain/audit-log/index.js';
import type { AppServices } from '../domain/apps/index.js';
import type {
  AccountRepository,
  AccountSecurity,
  Admission,
  AttemptLimits,
  EmailConfirmation,
  AuthFlowInterface,
  Guard,
  KnownDevices,
  PasswordReset,
  RegistrationService,
  SessionService,
  TokenServiceInterface,
} from '../domain/auth/index.js';
import type {
  AudienceService,
  CategoryService,
  DemoSeeder,
  GatewayCatalog,
  PictureStore,
  ProductImport,
  ProductService,
  DocumentIndexes,
  UserAudiences,
} from '../domain/catalog/index.js';
import type { AdminManager, ApiAuthorizer, PermissionService, RbacService, RoleService } from '../domain/rbac/index.js';
import type { AboutPortal, MenuItemService, MenuService, SettingService } from '../domain/site/index.js';
import type { ReadinessProbe } from '../http/index.js';
import type { Clock } from '../core/index.js';

/** What routes may call: the services of every domain, built once by `portal.ts`. */
export interface PortalServices {
  readonly clock: Clock;
  readonly readiness: ReadinessProbe;
  readonly accounts: {
    readonly users: UserService;
    readonly admins: AdminService;
    /** What a new password must be. */
    readonly passwords: Pick<NewPasswords, 'minimum'>;
  };
  readonly auth: {
    readonly flow: AuthFlowInterface;
    readonly tokens: TokenServiceInterface;
    readonly sessions: SessionService;
    readonly guard: Guard;
    readonly registration: RegistrationService;
    /** Whether somebody may have an account under an address: what every way to sign up asks first. */
    readonly admission: Admission;
    readonly passwordReset: PasswordReset;
    readonly confirmation: EmailConfirmation;
    /** Password change and re-authentication of the signed-in account. */
    readonly security: AccountSecurity;
    /** `unlock` lifts the lock of an account. */
    readonly attempts: AttemptLimits;
    /** Devices at which accounts have signed in: what others guess elsewhere does not hold them back. */
    readonly devices: KnownDevices;
    /** Developers and admins as accounts that sign in. */
    readonly directory: AccountRepository;
  };
  readonly rbac: RbacService;
  /** Admins, roles and permissions as admins change them. */
  readonly administration: {
    readonly admins: AdminManager;
    readonly roles: RoleService;
    readonly permissions: PermissionService;
  };
  /** Layer 2 of admin authorization, for what a route cannot declare. */
  readonly authorizer: ApiAuthorizer;
  readonly catalog: {
    readonly products: ProductService;
    readonly categories: CategoryService;
    readonly audiences: AudienceService;
    readonly demo: DemoSeeder;
    /** Products of OpenAPI documents, several at once. */
    readonly productImport: ProductImport;
    readonly userAudiences: UserAudiences;
    readonly pictures: PictureStore;
    /** What the gateway has to offer. */
    readonly gateway: GatewayCatalog;
    /** Bytes of what may be uploaded. */
    readonly limits: { readonly maxSpecBytes: number; readonly maxImageBytes: number };
    /** OpenAPI documents taken apart, as references show them. */
    readonly digests: DocumentIndexes;
    /** Origins that a reference may send requests to. */
    readonly tryItOrigins: readonly string[];
  };
  readonly apps: AppServices;
  readonly site: {
    readonly about: AboutPortal;
    readonly menus: MenuService;
    readonly menuItems: MenuItemService;
    readonly settings: SettingService;
  };
  readonly activities: {
    readonly log: ActivityReader;
    /** Whether the log is as it was written. */
    readonly verifier: ChainVerifier;
    readonly guard: ChainGuard;
    readonly pruner: ActivityPruner;
    readonly statistics: PortalStatistics;
  };
  /** Where surfaces live, as paths that begin with a slash. */
  readonly paths: { readonly api: string; readonly admin: string };
}
