import { useMemo, useState } from 'react'
import { readSetting, writeSetting } from '../session/settings.ts'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import { CheckMenu } from './menu.tsx'
import { count } from './numbers.ts'
import { Problem, Skeleton } from './states.tsx'
import { type Chosen, Rows } from './table-rows.tsx'
import type { Column, DataTableProps, Listed } from './table-types.ts'

export type { Column, Listed } from './table-types.ts'

/**
 * A list of any length: rows are drawn when they are in sight, and pages are requested when the reader comes near the
 * end. `j` and `k` or arrows move, Enter opens, `x` chooses.
 */
export function DataTable<T>(props: DataTableProps<T>) {
  const { label, columns, list, keyOf, empty, bulk, tools, height } = props
  const [visible, setVisible] = useVisibleColumns(label, columns)
  const [chosen, setChosen] = useState<Chosen>({})
  const items = list.items ?? []
  const chosenItems = Object.keys(chosen).length === 0 ? [] : items.filter((item) => chosen[keyOf(item)])
  const clear = () => setChosen({})
  const shown = useMemo(() => columns.filter(({ id }) => visible[id] !== false), [columns, visible])

  if (list.items === undefined)
    return list.error == null ? <Skeleton lines={8} /> : <Problem error={list.error} onRetry={list.refetch} />
  return (
    <div
      className={height === undefined ? 'table-frame' : 'table-frame fits'}
      style={height === undefined ? undefined : { maxHeight: height, minHeight: 0 }}
    >
      <div className="table-tools row">
        {chosenItems.length > 0 && bulk ? (
          <>
            <strong>{count(chosenItems.length)} chosen</strong>
            {bulk(chosenItems, clear)}
            <Button look="quiet" onClick={clear}>
              Clear
            </Button>
          </>
        ) : (
          <span className="muted small">
            {items.length === 1 && !list.hasNextPage
              ? '1 row'
              : `${count(items.length)}${list.hasNextPage ? '+' : ''} ${inSentence(label)}`}
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
      {items.length === 0 && !list.hasNextPage ? empty : <Rows {...props} {...{ shown, items, chosen, setChosen }} />}
    </div>
  )
}

/** "Token keys" as "token keys", and "API keys" as it is. */
function inSentence(label: string): string {
  return /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1)
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
