export { UserAudiences, type AudienceReference } from './user-audiences.js';
