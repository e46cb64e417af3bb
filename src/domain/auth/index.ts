export type { AdminActor, AuthContext, ConsumerActor } from './actor.js';
