import type { ValueType } from '@mortise/providers'

/** What a column that Mortise added stores. */
export const storedTypes = ['boolean', 'integer', 'number', 'date', 'datetime', 'text', 'json'] as const
export type StoredType = (typeof storedTypes)[number]

export interface Column {
  /** Its type, as the database writes it. */
  type: string
  /** What it stores, if Mortise chose the type. Undefined for a type that a user chose, and for `_mortise_…`. */
  stores: StoredType | undefined
  /** Whether Mortise added it, for a field. Users may add others. */
  isField: boolean
  /** Whether the database computes its values, so that none can be written. */
  isGenerated?: boolean
  /** Its field, where a comment names it. */
  field?: string
  /** Whether it has the values of its field that do not fit the other column of the field. */
  isRest?: boolean
}

/** The columns of a table by name. */
export type Columns = Map<string, Column>

/** What the provider says that a field has, by the name of its column. */
export type DeclaredTypes = ReadonlyMap<string, StoredType>

export type Values = Readonly<Record<string, unknown>>

/**
 * What is stored of a field, by the type that the provider says it has. Values of `multiSelect` and `other` say more
 * than these types: they may be lists.
 */
const byValueType: Partial<Record<ValueType, StoredType>> = {
  string: 'text',
  singleSelect: 'text',
  reference: 'text',
  boolean: 'boolean',
  int: 'integer',
  float: 'number',
  date: 'date',
  datetime: 'datetime',
}

/** Columns that are written: those of fields, to null where a row has no value, and others that have one. */
export function writtenColumns(columns: Columns, rows: readonly { values: Values | undefined }[]): [string, Column][] {
  const given = new Set(rows.flatMap(({ values = {} }) => Object.keys(values)))
  return [...columns].filter(([name, { isField, isGenerated }]) => !isGenerated && (isField || given.has(name)))
}

export function storedTypeOf(valueType: ValueType): StoredType | undefined {
  return byValueType[valueType]
}

export const commentStart = 'Field of Mortise: '

/** The comment of a column that Mortise added. It says which type Mortise chose, so that a user can choose another. */
export function fieldComment(type: StoredType): string {
  return `${commentStart}${type}`
}

/** Reads the comment of a column: undefined if Mortise did not add the column. */
export function typeInComment(comment: string | null): StoredType | undefined {
  if (comment === null || !comment.startsWith(commentStart)) return undefined
  return storedTypes.find((type) => fieldComment(type) === comment)
}

/** Returns the type of a column that can store a value; undefined for null, which says nothing. */
export function typeOf(value: unknown): StoredType | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number') return 'number'
  return typeof value === 'string' ? 'text' : 'json'
}

const datePattern = /^[1-9]\d{3}-\d\d-\d\d$/
const datetimePattern = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:?\d\d)$/

/** Whether a column can store a value as it is. Text and JSON can store every value. */
export function fits(type: StoredType, value: unknown): boolean {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean'
    case 'integer':
      return Number.isSafeInteger(value)
    case 'number':
      return typeof value === 'number'
    case 'date':
      return typeof value === 'string' && datePattern.test(value) && isDay(value)
    case 'datetime':
      return (
        typeof value === 'string' && datetimePattern.test(value) && isDay(value) && !Number.isNaN(Date.parse(value))
      )
    default:
      return true
  }
}

/** Whether a text begins with a day that exists: `Date.parse` takes February 30 for March 2. */
function isDay(text: string): boolean {
  const day = text.slice(0, 10)
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

/**
 * Returns the columns that rows need in addition to those of a table, and those that need another type. A new column
 * has the type that the provider declares, if the first value fits. A column becomes text when a value does not fit.
 *
 * @param hasRoom whether one more column can be added to these
 */
export function missingColumns(
  columns: Columns,
  rows: readonly Values[],
  declared: DeclaredTypes,
  hasRoom: (needed: ReadonlyMap<string, StoredType>, type: StoredType) => boolean,
): Map<string, StoredType> {
  const needed = new Map<string, StoredType>()
  for (const row of rows)
    for (const [name, value] of Object.entries(row)) {
      const ofValue = typeOf(value)
      if (ofValue === undefined) continue
      const column = columns.get(name)
      const known = needed.get(name) ?? column?.stores
      if (known === undefined) {
        if (column !== undefined) continue
        const type = firstType(declared.get(name), ofValue, value)
        if (hasRoom(needed, type)) needed.set(name, type)
      } else if (!fits(known, value)) needed.set(name, known === 'integer' && ofValue === 'number' ? 'number' : 'text')
    }
  return needed
}

export function firstType(declared: StoredType | undefined, ofValue: StoredType, value: unknown): StoredType {
  if (declared === undefined || (declared === 'text' && ofValue === 'json')) return ofValue
  return fits(declared, value) ? declared : ofValue
}
