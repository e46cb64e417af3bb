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

/** The services that routes may call, built once by `portal.ts`. */
export interface PortalServices {
  readonly clock: Clock;
  readonly readiness: ReadinessProbe;
  readonly accounts: {
    readonly users: UserService;
    readonly admins: AdminService;
    /** Requirements for new passwords. */
    readonly passwords: Pick<NewPasswords, 'minimum'>;
  };
  readonly auth: {
    readonly flow: AuthFlowInterface;
    readonly tokens: TokenServiceInterface;
    readonly sessions: SessionService;
    readonly guard: Guard;
    readonly registration: RegistrationService;
    /** Whether an account may be opened for an address; checked first by every way to sign up. */
    readonly admission: Admission;
    readonly passwordReset: PasswordReset;
    readonly confirmation: EmailConfirmation;
    /** Password change and re-authentication of the signed-in account. */
    readonly security: AccountSecurity;
    /** `unlock` lifts an account's lock. */
    readonly attempts: AttemptLimits;
    /** Devices that have signed in to an account; failed attempts from elsewhere do not lock them out. */
    readonly devices: KnownDevices;
    /** Developers and admins as accounts that sign in. */
    readonly directory: AccountRepository;
  };
  readonly rbac: RbacService;
  /** Management of admins, roles and permissions. */
  readonly administration: {
    readonly admins: AdminManager;
    readonly roles: RoleService;
    readonly permissions: PermissionService;
  };
  /** Layer 2 of admin authorization, for checks that a route cannot declare. */
  readonly authorizer: ApiAuthorizer;
  readonly catalog: {
    readonly products: ProductService;
    readonly categories: CategoryService;
    readonly audiences: AudienceService;
    readonly demo: DemoSeeder;
    /** Creates products from OpenAPI documents, several at once. */
    readonly productImport: ProductImport;
    readonly userAudiences: UserAudiences;
    readonly pictures: PictureStore;
    /** The products that the gateway offers. */
    readonly gateway: GatewayCatalog;
    /** Upload limits in bytes. */
    readonly limits: { readonly maxSpecBytes: number; readonly maxImageBytes: number };
    /** Indexed OpenAPI documents, as the reference viewer needs them. */
    readonly indexes: DocumentIndexes;
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
    /** Checks the integrity of the log. */
    readonly verifier: ChainVerifier;
    readonly guard: ChainGuard;
    readonly pruner: ActivityPruner;
    readonly statistics: PortalStatistics;
  };
  /** Where surfaces live, as paths that begin with a slash. */
  readonly paths: { readonly api: string; readonly admin: string };
}
