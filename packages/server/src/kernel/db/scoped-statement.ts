import type { Socket } from 'node:net'
import pg from 'pg'
import { asStatement, type SessionSettings } from './session-settings.ts'

/**
 * Setting with the project of a transaction, which row-level security compares with the project of each row. It ends
 * with the transaction.
 */
export const projectSetting = 'mortise.project'

/** What each transaction sets first. */
export interface TransactionScope {
  /** Name of the prepared statement; undefined where a pooler does not follow prepared statements. */
  name: string | undefined
  text: string
  values: string[]
  /** The same as one text without values. */
  literal: string
}

/** Settings of the session, for each transaction behind a pooler. */
export interface PooledSettings {
  settings: SessionSettings
  /** Whether the pooler follows statements that are prepared by name. */
  prepares: boolean
}

/** Returns the scope of a project. Without a pooler, the connection has the other settings already. */
export function projectScope(projectId: string, pooled?: PooledSettings): TransactionScope {
  const { settings = {}, prepares = true } = pooled ?? {}
  return {
    name: prepares ? 'mortise_project' : undefined,
    text: asStatement(settings, { [projectSetting]: '$1' }),
    values: [projectId],
    literal: asStatement(settings, { [projectSetting]: pg.escapeLiteral(projectId) }),
  }
}

/** Returns the scope of statements that belong to no project, behind a pooler. */
export function settingsScope({ settings, prepares }: PooledSettings): TransactionScope {
  const text = asStatement(settings)
  return { name: prepares ? 'mortise_settings' : undefined, text, values: [], literal: text }
}

/** Properties of the driver that its types lack. */
interface Wire {
  stream: Socket
  parsedStatements: Record<string, string>
  submittedNamedStatements: Record<string, string>
  parse(message: { name: string; text: string }): void
  bind(message: {
    statement: string
    portal: string
    values: unknown[]
    valueMapper: (value: unknown) => unknown
  }): void
  execute(message: { portal: string }): void
}

interface DriverQuery {
  name?: string
  text: string
  values?: unknown[]
  callback: unknown
  binary: boolean | undefined
  queryMode?: string
  _result: unknown
  submit(wire: Wire): Error | null
  handleRowDescription(message: unknown): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, wire: Wire): void
  handleEmptyQuery(wire: Wire): void
  handlePortalSuspended(message: unknown, wire: Wire): void
  handleError(error: unknown, wire: Wire): void
  handleReadyForQuery(wire: Wire): void
  handleCopyInResponse(wire: Wire): void
  handleCopyData(message: unknown, wire: Wire): void
}

/**
 * Sends a statement in its scope. Outside a transaction, the packet contains the settings of the scope, the statement,
 * and one Sync. PostgreSQL runs both as one transaction, in one round trip. Inside a transaction, BEGIN has set them.
 *
 * Each connection prepares the settings once, except behind a pooler that does not follow prepared statements. Until
 * the server responds to the settings, the driver sees their name instead of the name of the statement. The driver
 * records by name which statements the server has parsed, and that record must be correct after an error in either
 * part.
 */
export class ScopedStatement implements pg.Submittable {
  readonly #client: pg.ClientBase
  readonly #scope: TransactionScope
  readonly #query: DriverQuery
  #isSetting = false

  constructor(client: pg.ClientBase, scope: TransactionScope, query: pg.Query) {
    this.#client = client
    this.#scope = scope
    this.#query = query as unknown as DriverQuery
  }

  submit(connection: unknown): Error | null {
    const wire = connection as Wire
    if (this.#client.getTransactionStatus() !== 'I') return this.#query.submit(wire)
    this.#isSetting = true
    // Without values the driver would use the simple protocol, which ends the transaction that the setting began.
    this.#query.queryMode = 'extended'
    wire.stream.cork()
    try {
      this.#set(wire)
      return this.#query.submit(wire)
    } finally {
      wire.stream.uncork()
    }
  }

  #set(wire: Wire): void {
    const { name = '', text, values } = this.#scope
    const isParsed = name !== '' && (wire.parsedStatements[name] ?? wire.submittedNamedStatements[name]) !== undefined
    if (!isParsed) {
      wire.parse({ name, text })
      if (name !== '') wire.submittedNamedStatements[name] = text
    }
    wire.bind({ statement: name, portal: '', values, valueMapper: (value) => value })
    wire.execute({ portal: '' })
  }

  get name(): string | undefined {
    return this.#isSetting ? this.#scope.name : this.#query.name
  }

  get text(): string {
    return this.#isSetting ? this.#scope.text : this.#query.text
  }

  /** Values of the statement, for code that observes the driver. */
  get values(): unknown[] | undefined {
    return this.#query.values
  }

  get callback(): unknown {
    return this.#query.callback
  }

  set callback(callback: unknown) {
    this.#query.callback = callback
  }

  get binary(): boolean | undefined {
    return this.#query.binary
  }

  set binary(binary: boolean | undefined) {
    this.#query.binary = binary
  }

  /** The driver assigns the type parsers of the connection to it. */
  get _result(): unknown {
    return this.#query._result
  }

  handleRowDescription(message: unknown): void {
    this.#query.handleRowDescription(message)
  }

  handleDataRow(message: unknown): void {
    if (!this.#isSetting) this.#query.handleDataRow(message)
  }

  handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#isSetting) this.#isSetting = false
    else this.#query.handleCommandComplete(message, wire)
  }

  handleEmptyQuery(wire: Wire): void {
    this.#query.handleEmptyQuery(wire)
  }

  handlePortalSuspended(message: unknown, wire: Wire): void {
    this.#query.handlePortalSuspended(message, wire)
  }

  handleError(error: unknown, wire: Wire): void {
    if (this.#isSetting) {
      // The server skipped the statement and has not parsed it.
      if (this.#query.name) delete wire.submittedNamedStatements[this.#query.name]
      // The prepared setting was deallocated, for example by a pooler that resets its sessions.
      const isGone = (error as { code?: unknown }).code === '26000'
      if (isGone && this.#scope.name !== undefined) delete wire.parsedStatements[this.#scope.name]
    }
    this.#query.handleError(error, wire)
  }

  handleReadyForQuery(wire: Wire): void {
    this.#query.handleReadyForQuery(wire)
  }

  handleCopyInResponse(wire: Wire): void {
    this.#query.handleCopyInResponse(wire)
  }

  handleCopyData(message: unknown, wire: Wire): void {
    this.#query.handleCopyData(message, wire)
  }
}
