import type { CellType, Rows } from '../catalogue/format/rows.ts'
import { compileMatch, type Matcher } from './match.ts'
import { compilePath, isObject, type PathReader, scalarText } from './path.ts'

/** A column of a table. Travels in page tokens, where later responses have no columns. */
export interface Column {
  name: string
  type?: string
  isRepeated?: true
  /** The columns of a nested row. */
  inner?: Column[]
}

/** Rows of a response that do not fit its columns. The text says what is wrong. */
export class RowsFault extends Error {
  override name = 'RowsFault'
}

export interface RowsOfPage {
  /** The columns of the page before, if it had some. */
  known: readonly Column[] | undefined
  /** Whether a list without columns and rows is an empty one. */
  mayLackColumns: boolean
  /** Number of the first item of the list. */
  first: number | undefined
}

/** Makes records of rows. One without any value is undefined, where such a row is left out. */
export type RowReader = (
  json: unknown,
  items: readonly unknown[],
  page: RowsOfPage,
) => { records: (Record<string, unknown> | undefined)[]; columns: readonly Column[] }

/** Columns inside columns inside columns: deeper ones no table has. */
const depthMax = 20
/** Digits of a number that a double holds whatever they are. */
const exactDigits = 15
/** The smallest number that a double holds with all its digits. */
const normalMin = 2 ** -1022

interface Compiled {
  columnsAt: PathReader | undefined
  name: PathReader
  type: PathReader | undefined
  types: ReadonlyMap<string, CellType>
  value: PathReader | undefined
  inner: PathReader | undefined
  isRepeated: Matcher | undefined
  mayBeShort: boolean
  /** The cells of a row, where they are a part of it. */
  cells: PathReader | undefined
}

/** @param unwrap path of the cells in a row; the items of the list have it taken out already */
export function compileRows(declared: Rows | undefined, unwrap: PathReader | undefined): RowReader | undefined {
  if (declared === undefined) return undefined
  const { columns, name = '', type, types = {}, value, inner, repeated, mayBeShort = false, number } = declared
  const path = (text: string | undefined) => (text === undefined ? undefined : compilePath(text))
  const compiled: Compiled = {
    columnsAt: path(columns),
    name: compilePath(name),
    type: path(type),
    types: new Map(Object.entries(types).map(([own, ours]) => [own.toLowerCase(), ours])),
    value: path(value),
    inner: path(inner),
    isRepeated: repeated === undefined ? undefined : compileMatch(repeated),
    mayBeShort,
    cells: unwrap,
  }
  return (json, items, page) => {
    const { list, rows } = columnsAndRows(compiled, columns, json, items, page)
    if (number !== undefined && list.some((column) => column.name.toLowerCase() === number.toLowerCase()))
      throw new RowsFault(`The column ${quoted(number)} has the name of the field for the number of the row.`)
    const first = page.first ?? (compiled.columnsAt === undefined ? 2 : 1)
    const records = rows.map((row, at) => {
      const record = recordOf(compiled, list, row)
      if (mayBeShort && Object.values(record).every((cell) => cell === null || cell === '')) return undefined
      return number === undefined ? record : { ...record, [number]: first + at }
    })
    return { records, columns: list }
  }
}

function columnsAndRows(
  compiled: Compiled,
  path: string | undefined,
  json: unknown,
  items: readonly unknown[],
  { known, mayLackColumns }: RowsOfPage,
): { list: readonly Column[]; rows: readonly unknown[] } {
  const { columnsAt } = compiled
  if (columnsAt === undefined) {
    const [names, ...rows] = items
    return { list: items.length === 0 ? [] : columnsOf(compiled, names, 'The first row', 1), rows }
  }
  const found = columnsAt(json) ?? undefined
  if (found === undefined && known !== undefined) return { list: known, rows: items }
  if (found === undefined && mayLackColumns && items.length === 0) return { list: [], rows: items }
  return { list: columnsOf(compiled, found, `"${path}" of the response`, 1), rows: items }
}

function columnsOf(compiled: Compiled, found: unknown, where: string, depth: number): Column[] {
  if (!Array.isArray(found)) throw new RowsFault(`${where} is not a list of columns.`)
  if (depth > depthMax)
    throw new RowsFault(`The response has columns inside columns more than ${depthMax} levels deep.`)
  const names = new Set<string>()
  return found.map((column: unknown) => {
    const made = columnOf(compiled, column, depth)
    // Fields have no letter case: of two such columns, one would be lost.
    const name = made.name.toLowerCase()
    if (names.has(name)) throw new RowsFault(`The response has the column ${quoted(made.name)} twice.`)
    names.add(name)
    return made
  })
}

function columnOf(compiled: Compiled, column: unknown, depth: number): Column {
  const { name: nameIn, type: typeIn, inner: innerIn, isRepeated } = compiled
  const name = scalarText(nameIn(column))
  if (name === undefined || name.trim() === '') throw new RowsFault('A column of the response has no name.')
  if (name.toLowerCase() === '__proto__') throw new RowsFault('A column of the response cannot be a field: __proto__.')
  const type = scalarText(typeIn?.(column))
  const inner = innerIn?.(column) ?? undefined
  return {
    name,
    ...(type !== undefined && { type: type.toLowerCase() }),
    ...(isRepeated?.(column) === true && { isRepeated: true }),
    ...(inner !== undefined && { inner: columnsOf(compiled, inner, `The column ${quoted(name)}`, depth + 1) }),
  }
}

function recordOf(compiled: Compiled, columns: readonly Column[], row: unknown): Record<string, unknown> {
  if (!Array.isArray(row)) throw new RowsFault('A row of the response is not a list of cells.')
  if (row.length > columns.length || (row.length < columns.length && !compiled.mayBeShort))
    throw new RowsFault(`A row of the response has ${row.length} cells, and there are ${columns.length} columns.`)
  const record: Record<string, unknown> = {}
  columns.forEach((column, at) => {
    record[column.name] = at < row.length ? cellValue(compiled, column, contentOf(compiled, row[at])) : null
  })
  return record
}

/** The value in a cell. */
function contentOf({ value }: Compiled, cell: unknown): unknown {
  if (value === undefined) return cell
  const found = value(cell)
  if (found === undefined) throw new RowsFault('A cell of the response has no value.')
  return found
}

function cellValue(compiled: Compiled, column: Column, value: unknown): unknown {
  if (value === null || column.isRepeated !== true) return oneOf(compiled, column, value)
  if (!Array.isArray(value)) throw new RowsFault(`A value of the column ${quoted(column.name)} is not a list.`)
  return value.map((cell) => oneOf(compiled, column, contentOf(compiled, cell)))
}

function oneOf(compiled: Compiled, { name, type = '', inner }: Column, value: unknown): unknown {
  if (value === null) return null
  if (inner !== undefined)
    return recordOf(compiled, inner, compiled.cells === undefined ? value : compiled.cells(value))
  const wanted = typeof value === 'string' ? compiled.types.get(type) : undefined
  if (wanted === undefined) return value
  const converted = convert[wanted](value as string)
  if (converted === undefined) throw new RowsFault(`The column ${quoted(name)} has a value that is no ${wanted}.`)
  return converted
}

/** Each returns undefined for a text that it does not understand. */
const convert: Record<CellType, (text: string) => unknown> = {
  number: (text) => (isNumber(text) ? Number(text) : notFinite.has(text.toLowerCase()) ? text : undefined),
  decimal(text) {
    if (!isNumeral(text)) return notFinite.has(text.toLowerCase()) ? text : undefined
    const digits = (text.split(/e/i, 1)[0] ?? '').replace(/\D/g, '').replace(/^0+/, '')
    const number = Number(text)
    // Decimals go further than doubles: one may be Infinity or 0 as a number, or have lost digits next to 0.
    const isHeld = number === 0 ? digits === '' : Math.abs(number) >= normalMin && Number.isFinite(number)
    return isHeld && digits.length <= exactDigits ? number : text
  },
  boolean(text) {
    const small = text.toLowerCase()
    return small === 'true' ? true : small === 'false' ? false : undefined
  },
  // Some providers write a value that is none as a word.
  json(text) {
    try {
      return JSON.parse(text) as unknown
    } catch {
      return text
    }
  },
  epochMicros(text) {
    if (!/^-?\d{1,18}$/.test(text)) return undefined
    const micros = BigInt(text)
    const rest = ((micros % 1000n) + 1000n) % 1000n
    const time = new Date(Number((micros - rest) / 1000n))
    if (Number.isNaN(time.getTime())) return undefined
    return time.toISOString().replace('Z', rest === 0n ? 'Z' : `${String(rest).padStart(3, '0')}Z`)
  },
}

/** What databases have as numbers, and JSON has not. */
const notFinite = new Set(['nan', 'inf', '-inf', 'infinity', '-infinity'])

function isNumber(text: string): boolean {
  return isNumeral(text) && Number.isFinite(Number(text))
}

/** Whether a text is a number, of any size. */
function isNumeral(text: string): boolean {
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,5})?$/i.test(text)
}

const nameMax = 100

/** A name of somebody else in a sentence of ours. */
function quoted(name: string): string {
  return JSON.stringify(name.slice(0, nameMax).toWellFormed())
}

/** Whether a value of a page token is a list of columns. */
export function isColumns(value: unknown, depth = 1): value is Column[] {
  return (
    Array.isArray(value) &&
    depth <= depthMax &&
    value.every((column: unknown) => {
      if (!isObject(column)) return false
      const { name, type, isRepeated, inner } = column
      return (
        typeof name === 'string' &&
        (type === undefined || typeof type === 'string') &&
        (isRepeated === undefined || isRepeated === true) &&
        (inner === undefined || isColumns(inner, depth + 1))
      )
    })
  )
}
