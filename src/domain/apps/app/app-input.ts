import { ValidationError, type FieldErrors } from '../../../core/index.js';

/** Never matches names that could escape a path segment (`..`) (S56). */
export const APP_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
/** Also the last path segment of the page that creates apps. */
export const RESERVED_APP_NAMES: readonly string[] = ['create'];

/** Maximum length of each text. */
export const APP_TEXT_MAX = { displayName: 200, description: 4_000, callbackUrl: 2_048 } as const;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

interface AppTexts {
  readonly name?: string | undefined;
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly callbackUrl?: string | null | undefined;
}

/**
 * Validates an app's texts, for callers without a schema.
 * @throws ValidationError with every fault, under API names
 */
export function requireAppTexts({ name, displayName, description, callbackUrl }: AppTexts): void {
  const errors: FieldErrors = {};
  if (name !== undefined && !APP_NAME.test(name)) {
    errors.name = ['Use 1 to 100 letters, digits, dots, dashes and underscores, beginning with a letter or digit.'];
  } else if (name !== undefined && RESERVED_APP_NAMES.includes(name.toLowerCase())) {
    errors.name = ['This name is reserved. Choose another one.'];
  }
  if (displayName !== undefined && (displayName.length > APP_TEXT_MAX.displayName || CONTROL.test(displayName))) {
    errors.display_name = [`Use at most ${APP_TEXT_MAX.displayName} visible characters.`];
  }
  if (description !== undefined && (description.length > APP_TEXT_MAX.description || CONTROL.test(description))) {
    errors.description = [`Use at most ${APP_TEXT_MAX.description} visible characters.`];
  }
  if (typeof callbackUrl === 'string' && !isWebAddress(callbackUrl)) {
    errors.callback_url = ['Give an address that begins with https:// or http://.'];
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
}

function isWebAddress(text: string): boolean {
  if (text.length > APP_TEXT_MAX.callbackUrl || /\s/.test(text) || !/^https?:\/\//i.test(text)) return false;
  return URL.canParse(text);
}
