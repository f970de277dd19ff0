import type { Socket } from 'node:net'
import type pg from 'pg'

/**
 * Names the project of a transaction; row-level security compares it with the project of each row. Ends with the
 * transaction.
 */
export const projectSetting = 'mortise.project'

const setName = 'mortise_project'
const setText = `select set_config('${projectSetting}', $1, true)`

/** What the driver has and its types do not name. */
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
 * Sends a statement of one project. Outside a transaction, the project travels ahead of the statement in the same
 * packet, and one Sync ends both: PostgreSQL runs the two as one transaction, in one round trip. Inside a transaction,
 * its begin has set the project.
 *
 * The setting is prepared once per connection. Until it has been answered, the driver sees its name in place of the
 * statement's: the driver notes by name what the server has parsed, and what it notes must be true after an error of
 * either part.
 */
export class ProjectStatement implements pg.Submittable {
  readonly #client: pg.ClientBase
  readonly #projectId: string
  readonly #query: DriverQuery
  #isSetting = false

  constructor(client: pg.ClientBase, projectId: string, query: pg.Query) {
    this.#client = client
    this.#projectId = projectId
    this.#query = query as unknown as DriverQuery
  }

  submit(connection: unknown): Error | null {
    const wire = connection as Wire
    if (this.#client.getTransactionStatus() !== 'I') return this.#query.submit(wire)
    this.#isSetting = true
    // Without values the driver would choose the simple protocol, which ends the transaction that the setting began.
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
    if (wire.parsedStatements[setName] === undefined && wire.submittedNamedStatements[setName] === undefined) {
      wire.parse({ name: setName, text: setText })
      wire.submittedNamedStatements[setName] = setText
    }
    wire.bind({ statement: setName, portal: '', values: [this.#projectId], valueMapper: (value) => value })
    wire.execute({ portal: '' })
  }

  get name(): string | undefined {
    return this.#isSetting ? setName : this.#query.name
  }

  get text(): string {
    return this.#isSetting ? setText : this.#query.text
  }

  /** The values of the statement, for whoever observes what the driver sends. */
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

  /** The driver gives it the type parsers of the connection. */
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
      // The server skipped the statement: it has not been parsed.
      if (this.#query.name) delete wire.submittedNamedStatements[this.#query.name]
      // Somebody took the prepared setting away, such as a pooler that resets its sessions.
      if ((error as { code?: unknown }).code === '26000') delete wire.parsedStatements[setName]
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
