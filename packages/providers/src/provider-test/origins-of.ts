import type { ProviderEntry } from '../catalogue/entry.ts'
import { requestUrls } from '../catalogue/url-templates.ts'
import { resolveBaseUrl } from '../interpreter/base-url.ts'
import { connectionScope } from '../interpreter/connection-scope.ts'
import type { ConnectionValues } from '../interpreter/connection-values.ts'
import { textOf } from '../interpreter/request.ts'
import { InvalidInputs } from '../provider-error.ts'

/** Every origin that an entry sends the credential of a connection to. */
export function originsOf(entry: ProviderEntry, values: ConnectionValues): ReadonlySet<string> {
  const scope = textOf(connectionScope(entry, values))
  return new Set(
    requestUrls(entry).flatMap((url) => {
      try {
        return [resolveBaseUrl(url, scope).origin]
      } catch (error) {
        // The connection lacks a value that only another part needs.
        if (error instanceof InvalidInputs) return []
        throw error
      }
    }),
  )
}
