import type { ConnectionStatus } from '../../../services.ts'

/**
 * What can happen to a connection that its status answers to.
 * `generated`: it was made, or given another credential. `refreshed`: its access token was renewed. `succeeded`: the
 * provider answered a request. `credentials`: the provider, or the refresh, refused the credential. `readdressed`: its
 * credential stayed, but what it is used with changed (metadata, workspace).
 */
export type ConnectionEvent = 'generated' | 'refreshed' | 'succeeded' | 'credentials' | 'readdressed'

/**
 * The status machine. A fresh credential is unproven, whatever the old one was (`created`); only an answer of the
 * provider proves it (`working`) or refutes it (`bad_credentials`), and a later answer may change that in either
 * direction. A credential that was refused elsewhere is unproven where it is used now.
 */
const table: Record<ConnectionEvent, Record<ConnectionStatus, ConnectionStatus>> = {
  generated: { created: 'created', working: 'created', bad_credentials: 'created' },
  refreshed: { created: 'created', working: 'created', bad_credentials: 'created' },
  succeeded: { created: 'working', working: 'working', bad_credentials: 'working' },
  credentials: { created: 'bad_credentials', working: 'bad_credentials', bad_credentials: 'bad_credentials' },
  readdressed: { created: 'created', working: 'working', bad_credentials: 'created' },
}

/** The status that follows when `event` happens to a connection of status `from`. */
export function nextStatus(from: ConnectionStatus, event: ConnectionEvent): ConnectionStatus {
  return table[event][from]
}

/**
 * `providerMetadata` as it is kept: a plain value becomes `{value, source: "input"}`, an object with a value and no
 * source gets that source, anything else stays as it is. What is no object has no names to keep values under, and
 * counts as absent.
 */
export function normaliseMetadata(given: unknown): Record<string, unknown> | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, metadataItem(value)]))
}

function metadataItem(item: unknown): unknown {
  if (isPlain(item)) return { value: item, source: 'input' }
  if (isObject(item) && Object.hasOwn(item, 'value') && !Object.hasOwn(item, 'source'))
    return { ...item, source: 'input' }
  return item
}

/** The values of `providerMetadata` by name, as text, for templates; what is no plain value has no text. */
export function metadataValues(metadata: Record<string, unknown> | null | undefined): Record<string, string> {
  const values: Record<string, string> = Object.create(null)
  for (const [name, item] of Object.entries(metadata ?? {})) {
    const value = isObject(item) && Object.hasOwn(item, 'value') ? item['value'] : item
    if (isPlain(value) && value !== '') values[name] = String(value)
  }
  return values
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
