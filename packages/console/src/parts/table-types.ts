import type { ReactNode } from 'react'

export interface Column<T> {
  id: string
  header: string
  cell: (item: T) => ReactNode
  /** Pixels; what is left goes to the columns without a width. */
  width?: number
  /** Pixels that it keeps where there is little room. */
  least?: number
  align?: 'right'
  /** Hidden until the reader chooses it. */
  hidden?: boolean
}

/** What `useList` answers. */
export interface Listed<T> {
  items: T[] | undefined
  error: unknown
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
  refetch: () => unknown
}

export interface DataTableProps<T> {
  /** What the rows are: names the table, and its choice of columns in this browser. */
  label: string
  columns: Column<T>[]
  list: Listed<T>
  keyOf: (item: T) => string
  /** Opens a row: Enter, or a click beside its links. */
  onOpen?: (item: T) => void
  /** The key of the row that is open. */
  openKey?: string | undefined
  empty: ReactNode
  /** Actions on the chosen rows. Without it, rows cannot be chosen. */
  bulk?: ((items: T[], clear: () => void) => ReactNode) | undefined
  /** Shown at the right above the table. */
  tools?: ReactNode
  /** Its height at most, in pixels; fills the page without it. */
  height?: number
}
