export { ADMIN_DECODE, adminColumns, adminModel, type AdminRecord, type AdminStatus } from './admin.js';
export type { PasswordHasher, PasswordVerdict } from './contracts.js';
export { canonicalEmail } from './email.js';
export { Argon2Hasher } from './password-hasher.js';
export { passwordFaults, type PasswordContext } from './password-policy.js';
export { fullName, USER_DECODE, userColumns, userModel, type UserRecord, type UserStatus } from './user.js';
export {
  AdminCreatedEvent,
  AdminUpdatedEvent,
  PasswordChangedEvent,
  UserCreatedEvent,
  UserDeletedEvent,
  UserDeletingEvent,
  UserDisablingEvent,
  UserStatusChangedEvent,
  UserUpdatedEvent,
  type Changes,
} from './events.js';
