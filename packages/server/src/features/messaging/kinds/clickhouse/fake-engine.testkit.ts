/** Executes the statements that are sent to ClickHouse, in memory, and refuses any other form. */
export interface Engine {
  /** Returns the answer. @throws Error "Code: 60. DB::Exception: … (UNKNOWN_TABLE)" */
  execute(statement: string, format: string): Promise<string>
}

interface Table {
  columns: { name: string; type: string; comment: string }[]
  version: string | undefined
  /** The column by which `FINAL` leaves rows out. */
  removed: string | undefined
  key: string[]
  rows: Record<string, unknown>[]
}

type Path = [database: string, table: string]

export class EngineError extends Error {
  constructor(code: number, name: string) {
    super(`Code: ${code}. DB::Exception: It failed. (${name}) (version 26.7.2.1)`)
  }
}

const name = '`(?:[^`\\\\]|\\\\.)+`'
const type =
  "(?:Nullable\\((?:Bool|Int64|Float64|Date32|String|DateTime64\\(\\d, 'UTC'\\))\\)|String|LowCardinality\\(String\\)|UUID|UInt128|UInt8|DateTime64\\(3, 'UTC'\\))"
const hex = "unhex\\('((?:[0-9a-f]{2})*)'\\)"
const keys = '_mortise_group, _mortise_provider, _mortise_workspace, _mortise_id'
const key = `\\(${hex}(?:, ${hex})*\\)`
const isOneOf = `\\(${keys}\\) IN \\(${key}(?:, ${key})*\\)`.replaceAll('((', '(?:(')
const older = `\\(_mortise_version <= toUInt128\\('\\d+'\\) AND _mortise_removed = 0 AND ${isOneOf}\\)`
const isOld = `_mortise_removed = 1 AND _mortise_read_at < parseDateTime64BestEffort\\('([\\dT:.+-]+)', 3\\)`
const forms = {
  create: new RegExp(
    `^CREATE TABLE IF NOT EXISTS (${name})\\.(${name}) \\((\\w+ ${type}(?:, \\w+ ${type})*)\\) ENGINE = ReplacingMergeTree(?:\\((\\w+)(?:, (_mortise_removed))?\\))? ORDER BY (?:(\\w+)|\\((\\w+(?:, \\w+)*)\\))$`,
  ),
  alter: new RegExp(
    `^ALTER TABLE (${name})\\.(${name}) (ADD COLUMN IF NOT EXISTS ${name} ${type} COMMENT '[\\w %.:-]+'(?:, ADD COLUMN IF NOT EXISTS ${name} ${type} COMMENT '[\\w %.:-]+')*)$`,
  ),
  added: new RegExp(`ADD COLUMN IF NOT EXISTS (${name}) (${type}) COMMENT '([^']+)'`, 'g'),
  insert: new RegExp(`^INSERT INTO (${name})\\.(${name}) \\(([^()]+|(?:${name}(?:, )?)+)\\) FORMAT JSONEachRow$`),
  mark: new RegExp(
    `^INSERT INTO (${name})\\.(${name}) \\((.+)\\) SELECT (m\\..+) FROM format\\(JSONEachRow, '(.+)', ${hex}\\) AS m LEFT ANY JOIN \\(SELECT (.+) FROM ${name}\\.${name} FINAL WHERE \\((.+?)\\) IN \\((.+)\\)\\) AS t ON (.+) SETTINGS join_use_nulls = 1$`,
  ),
  columns: new RegExp(
    `^SELECT name, type, comment FROM system\\.columns WHERE database = ${hex} AND table = ${hex} ORDER BY position$`,
  ),
  removable: new RegExp(`^ALTER TABLE (${name})\\.(${name}) ADD COLUMN IF NOT EXISTS _mortise_removed UInt8$`),
  removed: new RegExp(
    `^SELECT (${keys}), toString\\(argMax\\(_mortise_message, _mortise_version\\)\\) FROM (${name})\\.(${name}) WHERE _mortise_removed = 1 AND (${isOneOf}) GROUP BY ${keys}$`,
  ),
  remove: new RegExp(`^DELETE FROM (${name})\\.(${name}) WHERE (${older}(?: OR ${older})*)$`),
  older: new RegExp(`_mortise_version <= toUInt128\\('(\\d+)'\\) AND _mortise_removed = 0 AND (${isOneOf})\\)`, 'g'),
  old: new RegExp(
    `^SELECT ${keys}, toString\\(_mortise_message\\) FROM (${name})\\.(${name}) WHERE ${isOld} ORDER BY ${keys}, _mortise_version DESC LIMIT 1 BY ${keys} LIMIT (\\d+)$`,
  ),
  forget: new RegExp(`^DELETE FROM (${name})\\.(${name}) WHERE ${isOld} AND (${isOneOf})$`),
  database: new RegExp(`^CREATE DATABASE IF NOT EXISTS (${name})$`),
  databases: new RegExp(`^SELECT count\\(\\) FROM system\\.databases WHERE name = ${hex}$`),
  grant: new RegExp(
    `^CHECK GRANT (CREATE DATABASE, )?(?:ALTER DELETE, )?CREATE TABLE, ALTER ADD COLUMN, INSERT, SELECT ON (${name})\\.\\*$`,
  ),
}

const plain = (quoted: string) => quoted.replaceAll(/^`|`$/g, '').replaceAll(/\\(.)/g, '$1')
const namesIn = (list: string) => [...list.matchAll(/`(?:[^`\\]|\\.)+`|\w+/g)].map(([one]) => plain(one))

/** The keys of a condition, each as JSON. */
const keysIn = (condition: string) => {
  const texts = [...condition.matchAll(new RegExp(hex, 'g'))].map(([, text = '']) =>
    Buffer.from(text, 'hex').toString(),
  )
  return new Set(texts.flatMap((_, at) => (at % 4 === 0 ? [JSON.stringify(texts.slice(at, at + 4))] : [])))
}
const keyOf = (row: Record<string, unknown>) => JSON.stringify(keys.split(', ').map((one) => row[one]))

const isRemovedBefore = (row: Record<string, unknown>, before: string) =>
  row['_mortise_removed'] === 1 && Date.parse(String(row['_mortise_read_at'])) < Date.parse(before)

const rowsIn = (data: string) =>
  data
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** Whether a value of JSON can be read as a type. */
function isReadable(of: string, value: unknown): boolean {
  if (value === null) return of.startsWith('Nullable')
  if (of.includes('Bool')) return typeof value === 'boolean'
  if (of.includes('Int')) return /^-?\d+$/.test(String(value))
  if (of.includes('Float')) return !Number.isNaN(Number(value))
  if (of.includes('Date32')) return /^(?:19|2[0-2])\d\d-\d\d-\d\d$/.test(String(value))
  if (of.includes('DateTime')) return !Number.isNaN(Date.parse(String(value)))
  return typeof value === 'string'
}

export class FakeEngine implements Engine {
  /** Tables by database. */
  readonly databases: Map<string, Map<string, Table>>
  /** Tables that refuse rows with the text `bad`. */
  readonly strict = new Set<string>()
  /** Databases without the permission to create tables in them. */
  readonly forbidden = new Set<string>()
  mayCreateDatabases = true

  constructor(database: string) {
    this.databases = new Map([[database, new Map()]])
  }

  async execute(statement: string): Promise<string> {
    const end = statement.indexOf(' FORMAT JSONEachRow\n')
    const [text, data] = end < 0 ? [statement, ''] : [statement.slice(0, end + 19), statement.slice(end + 20)]
    const found = this.#read(text)
    if (found !== undefined) return found
    this.#write(text, rowsIn(data))
    return ''
  }

  /** The newest row of each key, as `FINAL` reads them. */
  final(database: string, table: string): Record<string, unknown>[] {
    const { rows, key, version, columns, removed } = this.#table([database, table])
    const empty = Object.fromEntries(columns.map((one) => [one.name, null]))
    const newest = new Map<string, Record<string, unknown>>()
    for (const row of rows) {
      const of = JSON.stringify(key.map((one) => row[one]))
      const known = newest.get(of)
      const versionOf = (one: Record<string, unknown>) => BigInt(version === undefined ? 0 : String(one[version]))
      if (known === undefined || versionOf(known) <= versionOf(row)) newest.set(of, row)
    }
    const left = [...newest.values()].filter((row) => removed === undefined || row[removed] !== 1)
    return left.map((row) => ({ ...empty, ...row }))
  }

  repeatRemovals(database: string, table: string): void {
    const { rows } = this.#table([database, table])
    rows.push(...rows.filter((row) => row['_mortise_removed'] === 1))
  }

  #read(text: string): string | undefined {
    const textOf = (encoded = '') => Buffer.from(encoded, 'hex').toString()
    const tablesOf = (encoded = '') => this.databases.get(textOf(encoded))
    const [columns, databases, grant] = [forms.columns.exec(text), forms.databases.exec(text), forms.grant.exec(text)]
    if (columns) {
      const table = tablesOf(columns[1])?.get(textOf(columns[2]))
      return (table?.columns ?? []).map((one) => `${JSON.stringify([one.name, one.type, one.comment])}\n`).join('')
    }
    if (databases) return `["${tablesOf(databases[1]) ? 1 : 0}"]\n`
    const removed = forms.removed.exec(text)
    if (removed) return this.#removed(removed)
    const old = forms.old.exec(text)
    if (old) return this.#old(old)
    if (!grant) return undefined
    const [, created, database = ''] = grant
    const isGranted = !this.forbidden.has(plain(database)) && (created === undefined || this.mayCreateDatabases)
    return `["${isGranted ? 1 : 0}"]\n`
  }

  #write(text: string, rows: Record<string, unknown>[]): void {
    const [created, altered] = [forms.create.exec(text), forms.alter.exec(text)]
    const [inserted, marked] = [forms.insert.exec(text), forms.mark.exec(text)]
    const [, made] = forms.database.exec(text) ?? []
    const removable = forms.removable.exec(text)
    if (removable) {
      const { columns } = this.#table([plain(removable[1] ?? ''), plain(removable[2] ?? '')])
      if (!columns.some((one) => one.name === '_mortise_removed'))
        columns.push({ name: '_mortise_removed', type: 'UInt8', comment: '' })
      return
    }
    const removing = forms.remove.exec(text)
    if (removing) {
      this.#remove(removing)
      return
    }
    const forgetting = forms.forget.exec(text)
    if (forgetting) {
      this.#forget(forgetting)
      return
    }
    if (made !== undefined) {
      this.#createDatabase(plain(made))
      return
    }
    const [, database, quoted = ''] = created ?? altered ?? inserted ?? marked ?? []
    if (database === undefined) throw new Error(`unknown: ${text}`)
    const table: Path = [plain(database), plain(quoted)]
    if (created) this.#create(table, created)
    else if (altered) this.#alter(table, altered[3] ?? '')
    else if (marked) this.#mark(table, marked)
    else if (inserted) this.#insert(table, namesIn(inserted[3] ?? ''), rows)
  }

  /** A database that exists needs the permission, too: ClickHouse checks it first. */
  #createDatabase(database: string): void {
    if (!this.mayCreateDatabases) throw new EngineError(497, 'ACCESS_DENIED')
    if (!this.databases.has(database)) this.databases.set(database, new Map())
  }

  /** The newest row of each key that says that its record was removed. */
  #removed([, , database = '', table = '', wanted = '']: RegExpExecArray): string {
    const { rows } = this.#table([plain(database), plain(table)])
    const keys = keysIn(wanted)
    const found = new Map<string, string>()
    for (const row of rows.filter((one) => one['_mortise_removed'] === 1)) {
      const of = keyOf(row)
      const message = String(row['_mortise_message'])
      if (keys.has(of) && (found.get(of) ?? '') < message) found.set(of, message)
    }
    return [...found].map(([of, message]) => `${JSON.stringify([...(JSON.parse(of) as string[]), message])}\n`).join('')
  }

  #remove([, database = '', quoted = '', conditions = '']: RegExpExecArray): void {
    const table = this.#table([plain(database), plain(quoted)])
    for (const [, version = '', wanted = ''] of conditions.matchAll(forms.older)) {
      const keys = keysIn(wanted)
      table.rows = table.rows.filter(
        (row) =>
          row['_mortise_removed'] === 1 ||
          !keys.has(keyOf(row)) ||
          BigInt(String(row['_mortise_version'])) > BigInt(version),
      )
    }
  }

  /** The newest of the old removals of each key, in the order of the table. */
  #old([, database = '', table = '', before = '', count]: RegExpExecArray): string {
    const newest = new Map<string, string>()
    for (const row of this.#table([plain(database), plain(table)]).rows) {
      const [of, message] = [keyOf(row), String(row['_mortise_message'])]
      if (isRemovedBefore(row, before) && (newest.get(of) ?? '') < message) newest.set(of, message)
    }
    const first = [...newest].toSorted(([one], [other]) => (one < other ? -1 : 1)).slice(0, Number(count))
    return first.map(([of, message]) => `${JSON.stringify([...(JSON.parse(of) as string[]), message])}\n`).join('')
  }

  #forget([, database = '', quoted = '', before = '', wanted = '']: RegExpExecArray): void {
    const table = this.#table([plain(database), plain(quoted)])
    const keys = keysIn(wanted)
    table.rows = table.rows.filter((row) => !isRemovedBefore(row, before) || !keys.has(keyOf(row)))
  }

  #create([database, table]: Path, [, , , columns = '', version, removed, one, several]: RegExpExecArray): void {
    const tables = this.#tables(database)
    if (this.forbidden.has(database)) throw new EngineError(497, 'ACCESS_DENIED')
    if (tables.has(table)) return
    const found = [...columns.matchAll(new RegExp(`(\\w+) (${type})`, 'g'))]
    tables.set(table, {
      columns: found.map(([, column = '', of = '']) => ({ name: column, type: of, comment: '' })),
      version,
      removed,
      key: (one ?? several ?? '').split(', '),
      rows: [],
    })
  }

  #alter(path: Path, columns: string): void {
    const table = this.#table(path)
    for (const [, quoted = '', of = '', comment = ''] of columns.matchAll(forms.added))
      if (!table.columns.some((one) => one.name === plain(quoted)))
        table.columns.push({ name: plain(quoted), type: of, comment })
  }

  #insert(path: Path, names: string[], rows: Record<string, unknown>[]): void {
    const table = this.#table(path)
    const types = new Map(table.columns.map((one) => [one.name, one.type]))
    if (names.some((one) => !types.has(one))) throw new EngineError(16, 'NO_SUCH_COLUMN_IN_TABLE')
    for (const row of rows) {
      if (Object.keys(row).some((one) => !names.includes(one))) throw new EngineError(117, 'INCORRECT_DATA')
      const { email, body } = row as Record<string, string | null>
      const isBad = this.strict.has(path[1]) && (email === 'bad' || body?.includes('"bad"'))
      const isRead = Object.entries(row).every(([one, value]) => isReadable(types.get(one) ?? '', value))
      if (isBad || !isRead) throw new EngineError(27, 'CANNOT_PARSE_INPUT_ASSERTION_FAILED')
    }
    const empty = Object.fromEntries(
      table.columns.map((one) => [one.name, one.type.startsWith('Nullable') ? null : one.type === 'UInt8' ? 0 : '']),
    )
    table.rows.push(...rows.map((row) => ({ ...empty, ...row })))
  }

  /** Inserts marks with what the newest row of each key has. */
  #mark(table: Path, [, , , names = '', values = '', , data = '', , , list = '', on = '']: RegExpExecArray): void {
    const rows = rowsIn(Buffer.from(data, 'hex').toString())
    const wanted = list.slice(1, -1).split('), (')
    const wantedKeys = wanted.map((one) =>
      JSON.stringify(
        [...one.matchAll(new RegExp(hex, 'g'))].map(([, text = '']) => Buffer.from(text, 'hex').toString()),
      ),
    )
    const pairs = on.split(' AND ').map((one) => /^m\.(\w+) = t\.(\w+)$/.exec(one)?.slice(1) ?? [])
    const columns = namesIn(names)
    const sources = [...values.matchAll(/([mt])\.(`(?:[^`\\]|\\.)+`|\w+)/g)]
    const found = this.final(...table)
    const made = rows.map((row) => {
      if (!wantedKeys.includes(JSON.stringify(pairs.map(([key = '']) => row[key])))) throw new Error('a key is missing')
      const same = found.find((one) => pairs.every(([key = '', column = '']) => one[column] === row[key]))
      const taken = sources.map(([, from, source = '']) => (from === 'm' ? row[source] : same?.[plain(source)]) ?? null)
      return Object.fromEntries(columns.map((column, index) => [column, taken[index]]))
    })
    this.#insert(table, columns, made)
  }

  #tables(database: string): Map<string, Table> {
    const found = this.databases.get(database)
    if (found === undefined) throw new EngineError(81, 'UNKNOWN_DATABASE')
    return found
  }

  #table([database, table]: Path): Table {
    const found = this.#tables(database).get(table)
    if (found === undefined) throw new EngineError(60, 'UNKNOWN_TABLE')
    return found
  }
}
