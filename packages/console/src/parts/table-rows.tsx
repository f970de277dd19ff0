import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, memo, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { classes } from './classes.ts'
import { useScrollMarks } from './scrolls.tsx'
import type { Column, DataTableProps } from './table-types.ts'

const rowHeight = 36
/** How many rows before the end the next page is requested. */
const ahead = 30
const choiceWidth = 36
const leastWidth = 140

/** The keys of the rows that the reader has chosen. */
export type Chosen = Record<string, true>

type RowsProps<T> = DataTableProps<T> & {
  shown: Column<T>[]
  items: T[]
  chosen: Chosen
  setChosen: (chosen: Chosen) => void
}

/** The rows of a table. Only those in sight are in the document, so rows are no elements of a `<table>`. */
export function Rows<T>(props: RowsProps<T>) {
  const { label, list, shown, items, keyOf, bulk, chosen, setChosen, onOpen, openKey } = props
  const scroller = useRef<HTMLDivElement>(null)
  useScrollMarks(scroller)
  const [current, setCurrent] = useState(-1)
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const drawn = virtual.getVirtualItems()
  const last = drawn.at(-1)?.index ?? 0
  useEffect(() => {
    const near = list.hasNextPage && !list.isFetchingNextPage && list.error == null && last >= items.length - ahead
    if (near) list.fetchNextPage()
  }, [list, last, items.length])

  const template = [bulk && `${choiceWidth}px`, ...shown.map(columnWidth)].filter(Boolean).join(' ')
  const minWidth = shown.reduce((sum, column) => sum + leastOf(column), bulk ? choiceWidth : 0)
  const choose = (id: string, on: boolean) => {
    const { [id]: _, ...others } = chosen
    setChosen(on ? { ...others, [id]: true } : others)
  }

  // The same for every row and every scroll, so that a row that stays in sight is not drawn again.
  const latest = useRef({ choose, onOpen })
  latest.current = { choose, onOpen }
  const acts = useMemo<RowActs<T>>(
    () => ({
      open(index, item) {
        setCurrent(index)
        latest.current.onOpen?.(item)
      },
      choose: (id, on) => latest.current.choose(id, on),
    }),
    [],
  )

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget) return
    const step = steps[event.key]
    const item = items[current]
    if (step !== undefined) {
      const next = Math.min(items.length - 1, Math.max(0, current + step))
      setCurrent(next)
      virtual.scrollToIndex(next)
    } else if (event.key === 'Enter' && item !== undefined && onOpen) onOpen(item)
    else if (event.key === 'x' && item !== undefined && bulk) choose(keyOf(item), !chosen[keyOf(item)])
    else return
    event.preventDefault()
  }

  return (
    <div
      ref={scroller}
      className="table-scroller"
      role="grid"
      aria-label={label}
      aria-rowcount={list.hasNextPage ? -1 : items.length + 1}
      tabIndex={0}
      aria-activedescendant={current >= 0 ? rowId(label, current) : undefined}
      onKeyDown={onKeyDown}
    >
      <div style={{ minWidth }}>
        <Head {...{ shown, template }} choice={bulk !== undefined} />
        <div
          style={{ height: virtual.getTotalSize(), position: 'relative' }}
          role="rowgroup"
          onPointerOver={showWhatIsCut}
        >
          {drawn.map(({ index, start }) => {
            const item = items[index]
            if (item === undefined) return null
            const id = keyOf(item)
            return (
              <MemoRow
                key={id}
                {...{ id, item, index, start, template, shown, label, acts }}
                opens={onOpen !== undefined}
                isCurrent={index === current}
                isOpen={id === openKey}
                isChosen={bulk ? chosen[id] === true : undefined}
              />
            )
          })}
        </div>
        {list.isFetchingNextPage && <div className="table-more muted small">Loading more…</div>}
      </div>
    </div>
  )
}

/** Shows the whole text of a cell that is pointed at, if some of it is cut. */
function showWhatIsCut({ target }: PointerEvent): void {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[role=gridcell]') : null
  if (!cell) return
  const isCut = [cell, ...cell.querySelectorAll('*')].some(
    (one) => one.scrollWidth > one.clientWidth && one.clientWidth > 0,
  )
  if (isCut) cell.title = cell.textContent
  else cell.removeAttribute('title')
}

const steps: Record<string, number> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }
const rowId = (label: string, index: number) => `${label.replaceAll(' ', '-')}-${index}`

type Sized = { width?: number; least?: number }

function columnWidth(column: Sized): string {
  return `minmax(${leastOf(column)}px, ${column.width === undefined ? '1fr' : `${column.width}px`})`
}

/** Wide columns shrink by a third before the table scrolls. */
function leastOf({
  width = leastWidth,
  least = Math.min(width, Math.max(leastWidth, Math.round(width / 1.5))),
}: Sized) {
  return least
}

function Head<T>({ shown, template, choice }: { shown: Column<T>[]; template: string; choice: boolean }) {
  return (
    <div className="table-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
      {choice && (
        <span role="columnheader">
          <span className="visually-hidden">Chosen</span>
        </span>
      )}
      {shown.map(({ id, header, align }) => (
        <span key={id} role="columnheader" className={align}>
          {header}
        </span>
      ))}
    </div>
  )
}

interface RowActs<T> {
  open(index: number, item: T): void
  choose(id: string, on: boolean): void
}

interface RowProps<T> {
  id: string
  item: T
  index: number
  start: number
  template: string
  shown: Column<T>[]
  label: string
  acts: RowActs<T>
  opens: boolean
  isCurrent: boolean
  isOpen: boolean
  /** Undefined where rows cannot be chosen. */
  isChosen: boolean | undefined
}

function Row<T>({ id, item, index, start, template, shown, label, acts, opens, isChosen, ...is }: RowProps<T>) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter opens the active row of the grid
    <div
      id={rowId(label, index)}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      className={classes(
        'table-row',
        opens && 'opens',
        is.isCurrent && 'current',
        is.isOpen && 'open',
        isChosen && 'chosen',
      )}
      style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest('a, button, input, label')) return
        acts.open(index, item)
      }}
    >
      {isChosen !== undefined && (
        <span role="gridcell">
          <input
            type="checkbox"
            aria-label="Choose this row"
            checked={isChosen}
            onChange={(event) => acts.choose(id, event.target.checked)}
          />
        </span>
      )}
      {shown.map(({ id, cell, align }) => (
        <span key={id} role="gridcell" className={align}>
          {cell(item)}
        </span>
      ))}
    </div>
  )
}

const MemoRow = memo(Row) as typeof Row
