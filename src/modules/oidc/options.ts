import { option, type OptionValues } from '../../index.js';
import type { ProviderInput } from './provider.js';

export const oidcOptions = {
  providers: option.map<ProviderInput>(
    'Identity providers by the name that addresses use; the first one is the default. See docs/oidc.md.',
    { secret: true },
  ),
  timeout: option.duration(5, 'Longest wait for one answer of an identity provider.', { max: 30 }),
};

export type OidcConfig = OptionValues<typeof oidcOptions>;
