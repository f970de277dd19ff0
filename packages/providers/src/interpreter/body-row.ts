import { ProviderError } from '../provider-error.ts'
import { isObject } from './path.ts'
import type { Scope } from './scope.ts'

/**
 * Compiles `{ $row: columns, $of: record }`: the values of a record in the order of the names of columns, for tables
 * whose rows are lists. A field that the record lacks is null, which tables leave as it is, and null is an empty text,
 * which clears a cell.
 */
export function compileRow(columns: string, of: string) {
  return {
    variables: [columns, of],
    fill(scope: Scope): unknown {
      const record = scope(of)
      if (!isObject(record)) return undefined
      const names = columnNames(scope(columns))
      const positions = new Map(names.map((name, at) => [name.toLowerCase(), at]))
      const row: unknown[] = names.map(() => null)
      for (const [field, value] of Object.entries(record)) {
        const at = positions.get(field.toLowerCase())
        if (at === undefined) throw new ProviderError('bad_request', `The table has no column “${field}”.`)
        row[at] = value ?? ''
      }
      return row
    },
  }
}

/** @throws ProviderError for names that do not say which column is meant */
function columnNames(list: unknown): string[] {
  const names = Array.isArray(list) ? list.map((name) => (typeof name === 'object' ? '' : String(name))) : []
  if (names.length === 0) throw new ProviderError('bad_request', 'The table has no names of columns in its first row.')
  if (names.includes('')) throw new ProviderError('bad_request', 'The table has a column with no name.')
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    throw new ProviderError('bad_request', 'The table has a name of a column twice.')
  return names
}
