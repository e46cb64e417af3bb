export { AdminService, type AdminCredentials, type AdminServiceParts, type NewAdmin } from './admin-service.js';
export { ADMIN_DECODE, adminColumns, adminModel, type AdminRecord, type AdminStatus } from './admin.js';
export type { PasswordHasher, PasswordVerdict } from './contracts.js';
export type { CustomAttribute, CustomAttributeInput } from './custom-attributes.js';
export { canonicalEmail } from './email.js';
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
export { NewPasswords, type LeakedPasswords, type NewPasswordSettings } from './new-passwords.js';
export { Argon2Hasher } from './password-hasher.js';
export { otherEmail } from './other-email.js';
export { cleanName } from './person-name.js';
export { PwnedPasswords } from './pwned-passwords.js';
export { UserAddresses } from './user-addresses.js';
export {
  UserService,
  type NewUser,
  type UserCredentials,
  type UserProfile,
  type UserServiceParts,
} from './user-service.js';
export { fullName, USER_DECODE, userColumns, userModel, type UserRecord, type UserStatus } from './user.js';
export { userList } from './user-list.js';
