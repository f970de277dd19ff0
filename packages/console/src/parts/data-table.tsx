import {
  type ColumnDef,
  columnVisibilityFeature,
  type RowData,
  type RowSelectionState,
  rowSelectionFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useMemo, useState } from 'react'
import { readSetting, writeSetting } from '../session/settings.ts'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import { CheckMenu } from './menu.tsx'
import { Problem, Skeleton } from './states.tsx'
import { Rows } from './table-rows.tsx'
import type { Column, DataTableProps, Listed } from './table-types.ts'

export type { Column, Listed } from './table-types.ts'

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature })

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
  const shown = useMemo(() => columns.filter(({ id }) => visible[id] !== false), [columns, visible])

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
