import type { Item } from '@mortise/client'

type Entry = Item<'listTimeline'>

/** Entries that stand in one line until the reader opens them. */
export interface Run {
  entries: Entry[]
}

/** From so many equal entries one after the other, they are folded. */
const foldedFrom = 3

/** Folds scheduled reads of one object that worked: an object that is read each minute must not bury what matters. */
export function foldRuns(entries: Entry[]): Run[] {
  const runs: Run[] = []
  let at = 0
  while (at < entries.length) {
    const first = entries[at] as Entry
    let end = at + 1
    while (end < entries.length && folds(first, entries[end] as Entry)) end++
    if (end - at >= foldedFrom) runs.push({ entries: entries.slice(at, end) })
    else runs.push(...entries.slice(at, end).map((entry) => ({ entries: [entry] })))
    at = end
  }
  return runs
}

function folds(a: Entry, b: Entry): boolean {
  return (
    isQuietRead(a) &&
    isQuietRead(b) &&
    a.objectName === b.objectName &&
    a.installationId === b.installationId &&
    dayOf(a.time) === dayOf(b.time)
  )
}

function isQuietRead({ kind, status, details }: Entry): boolean {
  return kind === 'operation.read' && status === 'success' && details?.['readType'] === 'scheduled'
}

const dayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' })

/** The day of a time in the reader's zone: "Today", "Yesterday", "Monday, May 4". */
export function dayOf(time: string, now = new Date()): string {
  const date = new Date(time)
  const day = date.toDateString()
  if (day === now.toDateString()) return 'Today'
  const yesterday = new Date(now)
  yesterday.setDate(now.getDate() - 1)
  if (day === yesterday.toDateString()) return 'Yesterday'
  const text = dayFormat.format(date)
  return date.getFullYear() === now.getFullYear() ? text : `${text} ${date.getFullYear()}`
}
