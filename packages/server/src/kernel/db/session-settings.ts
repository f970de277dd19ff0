/** Settings of PostgreSQL by name, as the service needs them for its statements. */
export type SessionSettings = Readonly<Record<string, string>>

/** Returns what every statement of the service runs under: under one of its roles, or under the login. */
export function sessionSettings(role?: string): SessionSettings {
  return {
    search_path: 'mortise',
    timezone: 'UTC',
    // Statements of the service take milliseconds. Compiling one takes up to a second, again at each execution (0058).
    jit: 'off',
    statement_timeout: '60s',
    // Within half a minute, the server releases the locks of a client that has ended or is unreachable.
    idle_in_transaction_session_timeout: '30s',
    ...(role !== undefined && { role }),
  }
}

/** Settings of the socket. Behind a pooler, they are those of the pooler. */
const socketSettings: SessionSettings = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '25s',
}

/** Returns the settings as options of a connection: they last as long as it. */
export function asOptions(settings: SessionSettings): string {
  return Object.entries({ ...settings, ...socketSettings })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

/**
 * Returns the settings as a statement: they last as long as its transaction. `expressions` are further settings, whose
 * values are SQL.
 */
export function asStatement(settings: SessionSettings, expressions: SessionSettings = {}): string {
  const constants = Object.entries(settings).map(([name, value]) => [name, `'${value}'`])
  const calls = [...constants, ...Object.entries(expressions)].map(
    ([name, value]) => `set_config('${name}', ${value}, true)`,
  )
  return `select ${calls.join(', ')}`
}
