import {
  type ColumnDef,
  columnVisibilityFeature,
  type RowData,
  type RowSelectionState,
  rowSelectionFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { readSetting, writeSetting } from '../session/settings.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { Icon } from './icons.tsx'
import { CheckMenu } from './menu.tsx'
import { Empty, Problem, Skeleton } from './states.tsx'

export interface Column<T> {
  id: string
  header: string
  cell: (item: T) => ReactNode
  /** Pixels; what is left goes to the columns without a width. */
  width?: number
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
  /** Height in pixels; fills the page without it. */
  height?: number
}

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature })
const rowHeight = 36
/** How many rows before the end the next page is requested. */
const ahead = 30

/**
 * A list of any length: rows are drawn when they are in sight, and pages are requested when the reader comes near the
 * end. `j` and `k` or arrows move, Enter opens, `x` chooses.
 */
export function DataTable<T extends RowData>(props: DataTableProps<T>) {
  const { label, columns, list, keyOf, empty, bulk, tools, height } = props
  const [visible, setVisible] = useVisibleColumns(label, columns)
  const [chosen, setChosen] = useState<RowSelectionState>({})
  const data = useMemo(() => list.items ?? [], [list.items])
  const defs = useMemo(
    () =>
      columns.map(
        ({ id, header, cell }): ColumnDef<typeof features, T> => ({
          id,
          header,
          cell: ({ row }) => cell(row.original),
        }),
      ),
    [columns],
  )
  const table = useTable({
    features,
    columns: defs,
    data,
    getRowId: keyOf,
    state: { columnVisibility: visible, rowSelection: chosen },
    onColumnVisibilityChange: (next) => setVisible(typeof next === 'function' ? next(visible) : next),
    onRowSelectionChange: (next) => setChosen(typeof next === 'function' ? next(chosen) : next),
    enableRowSelection: bulk !== undefined,
  })
  const rows = table.getRowModel().rows
  const chosenItems = rows.filter((row) => chosen[row.id]).map((row) => row.original)
  const clear = () => setChosen({})
  const shown = columns.filter(({ id }) => visible[id] !== false)

  if (list.items === undefined)
    return list.error == null ? <Skeleton lines={8} /> : <Problem error={list.error} onRetry={list.refetch} />
  return (
    <div className="table-frame" style={height === undefined ? undefined : { height }}>
      <div className="table-tools row">
        {chosenItems.length > 0 && bulk ? (
          <>
            <strong>{chosenItems.length} chosen</strong>
            {bulk(chosenItems, clear)}
            <Button look="quiet" onClick={clear}>
              Clear
            </Button>
          </>
        ) : (
          <span className="muted small">
            {data.length}
            {list.hasNextPage ? '+' : ''} {label.toLowerCase()}
          </span>
        )}
        <span className="grow" />
        {tools}
        <CheckMenu
          label="Choose columns"
          trigger={<Icon name="columns" />}
          items={columns.slice(1).map(({ id, header }) => ({
            label: header,
            checked: visible[id] !== false,
            onChange: (checked) => setVisible({ ...visible, [id]: checked }),
          }))}
        />
      </div>
      {list.error != null && <Problem error={list.error} onRetry={list.refetch} />}
      {data.length === 0 && !list.hasNextPage ? empty : <Rows {...props} {...{ shown, rows, chosen, setChosen }} />}
    </div>
  )
}

type RowsProps<T extends RowData> = DataTableProps<T> & {
  shown: Column<T>[]
  rows: { id: string; original: T }[]
  chosen: RowSelectionState
  setChosen: (chosen: RowSelectionState) => void
}

function Rows<T extends RowData>({ label, list, shown, rows, bulk, chosen, setChosen, onOpen, openKey }: RowsProps<T>) {
  const scroller = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState(-1)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const drawn = virtual.getVirtualItems()
  const last = drawn.at(-1)?.index ?? 0
  useEffect(() => {
    if (list.hasNextPage && !list.isFetchingNextPage && list.error == null && last >= rows.length - ahead)
      list.fetchNextPage()
  }, [list, last, rows.length])

  const template = [
    bulk && '36px',
    ...shown.map(({ width }) => (width === undefined ? 'minmax(120px, 1fr)' : `${width}px`)),
  ]
    .filter(Boolean)
    .join(' ')
  const minWidth = shown.reduce((sum, { width }) => sum + (width ?? 140), bulk ? 36 : 0)
  const choose = (id: string, on: boolean) => {
    const { [id]: _, ...others } = chosen
    setChosen(on ? { ...others, [id]: true } : others)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget) return
    const steps: Record<string, number> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }
    const step = steps[event.key]
    const row = rows[current]
    if (step !== undefined) {
      const next = Math.min(rows.length - 1, Math.max(0, current + step))
      setCurrent(next)
      virtual.scrollToIndex(next)
    } else if (event.key === 'Enter' && row && onOpen) onOpen(row.original)
    else if (event.key === 'x' && row && bulk) choose(row.id, !chosen[row.id])
    else return
    event.preventDefault()
  }

  return (
    <div
      ref={scroller}
      className="table-scroller"
      role="grid"
      aria-label={label}
      aria-rowcount={list.hasNextPage ? -1 : rows.length + 1}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a grid takes the keys that move through its rows
      tabIndex={0}
      aria-activedescendant={current >= 0 ? `${label}-${current}` : undefined}
      onKeyDown={onKeyDown}
    >
      <div style={{ minWidth }}>
        {/* biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus, and names the active row */}
        <div className="table-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
          {bulk && <span role="columnheader" aria-label="Chosen" />}
          {shown.map(({ id, header, align }) => (
            <span key={id} role="columnheader" className={align}>
              {header}
            </span>
          ))}
        </div>
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }} role="rowgroup">
          {drawn.map(({ index, start }) => {
            const row = rows[index]
            if (!row) return null
            return (
              // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus, and names the active row
              // biome-ignore lint/a11y/useKeyWithClickEvents: Enter opens the active row of the grid
              <div
                key={row.id}
                id={`${label}-${index}`}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={bulk ? chosen[row.id] === true : undefined}
                className={classes(
                  'table-row',
                  onOpen && 'opens',
                  index === current && 'current',
                  row.id === openKey && 'open',
                  chosen[row.id] && 'chosen',
                )}
                style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
                onClick={(event) => {
                  if ((event.target as Element).closest('a, button, input, label')) return
                  setCurrent(index)
                  onOpen?.(row.original)
                }}
              >
                {bulk && (
                  <span role="gridcell">
                    <input
                      type="checkbox"
                      aria-label="Choose this row"
                      checked={chosen[row.id] === true}
                      onChange={(event) => choose(row.id, event.target.checked)}
                    />
                  </span>
                )}
                {shown.map(({ id, cell, align }) => (
                  <span key={id} role="gridcell" className={align}>
                    {cell(row.original)}
                  </span>
                ))}
              </div>
            )
          })}
        </div>
        {list.hasNextPage && (
          <div className="table-more muted small">{list.isFetchingNextPage ? 'Loading more…' : ''}</div>
        )}
      </div>
    </div>
  )
}

/** Which columns are shown: what the reader chose in this browser, else what the table declares. */
function useVisibleColumns<T>(label: string, columns: Column<T>[]) {
  const key = `columns:${label}`
  const [visible, setVisible] = useState<Record<string, boolean>>(() => ({
    ...Object.fromEntries(columns.filter(({ hidden }) => hidden).map(({ id }) => [id, false])),
    ...readSetting<Record<string, boolean>>(key, {}),
  }))
  return [
    visible,
    (next: Record<string, boolean>) => {
      setVisible(next)
      writeSetting(key, next)
    },
  ] as const
}

/** A list that is here whole. */
export function whole<T>(items: T[] | undefined, query: { error?: unknown; refetch?: () => unknown } = {}): Listed<T> {
  return {
    items,
    error: query.error ?? undefined,
    hasNextPage: false,
    isFetchingNextPage: false,
    fetchNextPage: () => undefined,
    refetch: query.refetch ?? (() => undefined),
  }
}
