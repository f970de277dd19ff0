import type { ProviderEntry } from '../catalogue/entry.ts'
import { resolveBaseUrl } from '../interpreter/base-url.ts'
import type { ConnectionValues } from '../interpreter/connection-values.ts'
import { isObject } from '../interpreter/path.ts'
import { textOf } from '../interpreter/request.ts'
import { connectionScope } from '../interpreter/session.ts'
import { InvalidInputs } from '../provider-error.ts'

/** Every origin that an entry sends the credential of a connection to. */
export function originsOf(entry: ProviderEntry, values: ConnectionValues): ReadonlySet<string> {
  const declared = [
    entry.baseUrl,
    ...Object.values(entry.modules).map(({ baseUrl }) => baseUrl),
    ...[...(entry.file?.sets.values() ?? [])].flatMap(({ apiUrl, objects, others }) => [
      apiUrl ?? '',
      ...basesIn([...objects.values(), ...others.map(({ object }) => object)]),
    ]),
    ...basesIn(entry.file?.webhooks),
  ]
  const scope = textOf(connectionScope(entry, values))
  return new Set(
    declared.flatMap((url) => {
      if (url === '') return []
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

/** Texts under keys called `base`, at any depth: those of requests, and perhaps others, which are no URLs. */
function basesIn(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(basesIn)
  if (!isObject(part)) return []
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'base' && typeof value === 'string' ? [value] : basesIn(value),
  )
}
