/** `INVALID_ARGUMENT`, `keymanagement.service.ApiProductsRequired`, `oauth.v2.InvalidAccessToken`. */
const CODE = /^[A-Za-z]+(?:[._][A-Za-z]+|[._]v\d)*$/;
const LONGEST = 100;

/** The code of an answer as a log may hold it: empty for what could as well be a key or a secret that is said again (S69). */
export function showCode(code: unknown): string {
  return typeof code === 'string' && code.length <= LONGEST && CODE.test(code) ? code : '';
}
