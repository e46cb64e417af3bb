import type { Approver } from '../../domain/apps/index.js';

/** The signed-in developer, as the one who changes their own apps. */
export const themselves = ({ id }: { readonly id: number }): Approver => ({ type: 'developer', id });
