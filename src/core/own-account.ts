/** The permission of admin routes that any signed-in admin may use for their own account. */
export const OWN_ACCOUNT = 'own-account';
