import { carriedAppInputs, customScheme, type ProviderEntry } from '@mortise/providers'
import type { CustomCredential } from './credential.ts'

/**
 * Returns the credential that is stored before a token was requested.
 *
 * @param values inputs, and the results of multi-step authentication
 */
export function customCredential(entry: ProviderEntry, values: Record<string, unknown>): CustomCredential {
  const scheme = customScheme(entry)
  const needsToken = scheme?.token !== undefined || carriedAppInputs(scheme).length > 0
  return { scheme: 'custom', values, ...(needsToken && { token: {} }) }
}
