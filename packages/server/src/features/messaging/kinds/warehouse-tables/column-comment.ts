import { commentStart, type StoredType, storedTypes } from '../tables/columns.ts'

/** A column that Mortise adds to a table of a warehouse. */
export interface NewColumn {
  stores: StoredType
  field: string
  /** Whether it has the values of the field that do not fit its other column. */
  isRest: boolean
}

/**
 * The comment of a column: which type Mortise chose, and for which field, because warehouses change the case of names
 * and take few characters. It has only characters that need no escape in any literal.
 */
export function columnComment({ stores, field, isRest }: NewColumn): string {
  const encoded = encodeURIComponent(field).replaceAll(/['()*!~]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)
  return `${commentStart}${isRest ? 'rest' : stores} of ${encoded}`
}

/** Reads such a comment: undefined if Mortise did not add the column. */
export function readColumnComment(comment: string | null | undefined): NewColumn | undefined {
  if (comment === null || comment === undefined || !comment.startsWith(commentStart)) return undefined
  const [kind, encoded] = comment.slice(commentStart.length).split(' of ', 2)
  const field = decoded(encoded)
  if (field === undefined) return undefined
  if (kind === 'rest') return { stores: 'text', field, isRest: true }
  const stores = storedTypes.find((type) => type === kind)
  return stores && { stores, field, isRest: false }
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text)
  } catch {
    return undefined
  }
}
