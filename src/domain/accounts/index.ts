export { createAccountServices, type AccountServices } from './account-services.js';
export { changesOf, EmailTakenError, requireEmail } from './account-input.js';
export type { AdminCredentials, UserCredentials } from './account-reader.js';
export {
  AdminService,
  type AdminChange,
  type AdminChangeSteps,
  type AdminServiceParts,
  type NewAdmin,
} from './admin-service.js';
export { adminList, adminRecord, type AdminRecord, type AdminStatus } from './admin.js';
export type { PasswordHasher, PasswordCheck } from './contracts.js';
export type { CustomAttribute, CustomAttributeInput } from './custom-attributes.js';
export { normaliseEmail } from './email.js';
export {
  AdminCreatedEvent,
  AdminDeletedEvent,
  AdminUnlockedEvent,
  AdminUpdatedEvent,
  PasswordChangedEvent,
  UserCreatedEvent,
  UserDeletedEvent,
  UserDeletingEvent,
  UserDisablingEvent,
  UserKeptActiveEvent,
  UserReclaimedEvent,
  UserStatusChangedEvent,
  UserUnlockedEvent,
  UserUpdatedEvent,
  type Changes,
} from './events.js';
export type { LeakedPasswords, NewPasswordSettings } from './new-passwords.js';
export { Argon2Hasher } from './password-hasher.js';
export { otherEmail } from './other-email.js';
export { cleanName } from './person-name.js';
export type { SessionToKeep, NewUser, RelatedWrite, UserChange, UserChangeOptions, UserProfile } from './user-input.js';
export { UserAddresses } from './user-addresses.js';
export { UserService, type UserServiceParts } from './user-service.js';
export {
  addressUser,
  fullName,
  NO_PASSWORD,
  OWN_APP,
  OWN_KEY,
  userList,
  userRecord,
  type UserRecord,
  type UserKind,
  type UserStatus,
} from './user.js';
