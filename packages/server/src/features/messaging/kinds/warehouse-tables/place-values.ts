import {
  type Column,
  type Columns,
  type DeclaredTypes,
  firstType,
  fits,
  type StoredType,
  typeOf,
} from '../tables/columns.ts'
import { hashedName, type RecordRow } from '../tables/rows.ts'
import type { NewColumn } from './column-comment.ts'

/** What a warehouse takes as a column. */
export interface ColumnRules {
  /** The name that the column of a field has, if no other column has it. */
  nameOf(field: string): string
  /** Names that are equal by this are the same to the warehouse. */
  fold(name: string): string
  /** Whether a type can store a value that others of this type can. All can by default. */
  fits?(type: StoredType, value: unknown): boolean
  /** Maximum number of columns of a table. */
  columnsMax: number
}

export interface Placed {
  /** Columns that the table lacks, by name. */
  needed: Map<string, NewColumn>
  /** The rows, with their values by the names of columns. */
  rows: RecordRow[]
}

/**
 * Finds the column of each value. A value that does not fit the column of its field goes to a second one, of text:
 * warehouses cannot change a number into a text, or rewrite the table for it.
 *
 * A field keeps its column: the table says which field a column is of. Fields beyond the maximum of columns are in the
 * raw record alone.
 */
export function placeValues(
  rules: ColumnRules,
  columns: Columns,
  rows: readonly RecordRow[],
  declared: DeclaredTypes,
): Placed {
  const table = new TableColumns(rules, columns)
  const placed = rows.map((row) => {
    const values: [string, unknown][] = []
    for (const [field, value] of Object.entries(row.values ?? {})) {
      const ofValue = typeOf(value)
      if (ofValue === undefined) continue
      const name = table.columnOf(field, value, () => firstTypeOf(rules, declared.get(field), ofValue, value))
      if (name !== undefined) values.push([name, value])
    }
    return { ...row, values: row.values && Object.fromEntries(values) }
  })
  return { needed: table.needed, rows: placed }
}

function firstTypeOf(rules: ColumnRules, declared: StoredType | undefined, ofValue: StoredType, value: unknown) {
  const type = firstType(declared, ofValue, value)
  return isStorable(rules, type, value) ? type : ofValue
}

function isStorable(rules: ColumnRules, type: StoredType, value: unknown): boolean {
  return fits(type, value) && (rules.fits?.(type, value) ?? true)
}

class TableColumns {
  readonly needed = new Map<string, NewColumn>()
  readonly #rules: ColumnRules
  readonly #columns: Columns
  /** Names of columns by what they are to the warehouse. */
  readonly #names: Map<string, string>
  /** Names of columns by field, and of those for values that do not fit. */
  readonly #byField = new Map<string, string>()
  readonly #rest = new Map<string, string>()

  constructor(rules: ColumnRules, columns: Columns) {
    this.#rules = rules
    this.#columns = columns
    this.#names = new Map([...columns.keys()].map((name) => [rules.fold(name), name]))
    for (const [name, { field, isRest }] of columns)
      if (field !== undefined) (isRest ? this.#rest : this.#byField).set(field, name)
  }

  /** The column that a value of a field goes to; undefined if there is no room for one. */
  columnOf(field: string, value: unknown, firstType: () => StoredType): string | undefined {
    const name = this.#byField.get(field) ?? this.#add(field, { stores: firstType, isRest: false })
    if (name === undefined) return undefined
    const stores = this.#storedBy(name)
    if (stores === undefined || isStorable(this.#rules, stores, value)) return name
    return this.#rest.get(field) ?? this.#add(field, { stores: () => 'text', isRest: true })
  }

  /** Undefined for a type that a user chose: the warehouse converts values. */
  #storedBy(name: string): StoredType | undefined {
    return this.needed.get(name)?.stores ?? this.#columns.get(name)?.stores
  }

  #add(field: string, { stores, isRest }: { stores: () => StoredType; isRest: boolean }): string | undefined {
    const plain = this.#rules.nameOf(field)
    const wanted = isRest ? `${plain}_text` : plain
    const present = this.#names.get(this.#rules.fold(wanted))
    // A column that a user added for the field.
    if (present !== undefined && !isRest && this.#isOfUser(present)) {
      this.#byField.set(field, present)
      return present
    }
    if (this.#columns.size + this.needed.size >= this.#rules.columnsMax) return undefined
    const name =
      present === undefined ? wanted : this.#rules.nameOf(hashedName(wanted, isRest ? `${field} text` : field))
    this.#names.set(this.#rules.fold(name), name)
    this.needed.set(name, { stores: stores(), field, isRest })
    const byField = isRest ? this.#rest : this.#byField
    byField.set(field, name)
    return name
  }

  #isOfUser(name: string): boolean {
    const column: Column | undefined = this.#columns.get(name)
    return column !== undefined && !column.isField && !/^_mortise/i.test(name)
  }
}

/** A name that is none of ours: they begin with `_mortise`, and warehouses may ignore the case. */
export function notOurs(name: string): string {
  return /^_mortise/i.test(name) ? `field${name}` : name
}

/** A name of letters, digits and underscores, which every warehouse takes. One that is changed ends with a hash. */
export function plainName(field: string): string {
  const plain = notOurs(field.replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, '_'))
  return plain === field ? field : hashedName(plain, field)
}
