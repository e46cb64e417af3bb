import type { AdminService, NewPasswords, UserService } from '../domain/accounts/index.js';
import type { ActivityReader } from '../domain/audit-log/index.js';
import type { AppServices } from '../domain/apps/index.js';
import type {
  AccountSecurity,
  Admission,
  AuthFlowInterface,
  EmailConfirmation,
  Guard,
  KnownDevices,
  PasswordReset,
  RegistrationService,
  SessionService,
} from '../domain/auth/index.js';
import type { CategoryService, ProductService } from '../domain/catalog/index.js';
import type { AboutPortal, MenuService, SettingService } from '../domain/site/index.js';
import type { Clock } from '../core/index.js';

/** What pages may call; the REST surface is given the same and more. */
export interface ThemeServices {
  readonly clock: Clock;
  readonly accounts: {
    readonly users: UserService;
    readonly admins: AdminService;
    readonly passwords: Pick<NewPasswords, 'minimum'>;
  };
  readonly auth: {
    readonly flow: AuthFlowInterface;
    readonly devices: KnownDevices;
    readonly sessions: SessionService;
    readonly guard: Guard;
    readonly registration: RegistrationService;
    readonly admission: Admission;
    readonly passwordReset: PasswordReset;
    readonly confirmation: EmailConfirmation;
    readonly security: AccountSecurity;
  };
  readonly catalog: {
    readonly products: ProductService;
    readonly categories: CategoryService;
    /** Origins that the reference of a product may send requests to. */
    readonly tryItOrigins: readonly string[];
  };
  readonly apps: AppServices;
  readonly activities: { readonly log: ActivityReader };
  readonly site: {
    readonly about: AboutPortal;
    readonly menus: MenuService;
    readonly settings: SettingService;
  };
}
