import type { ConnectionStatus } from '../../provider-calls/calls/index.ts'

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
