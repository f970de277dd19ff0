import { Type } from 'typebox'
import type { Collecting } from '../kind.ts'
import type { SettingsReader } from '../settings-reader.ts'
import { type DeletesSetting, deletesDescription, readDeletes } from '../tables/deletes-setting.ts'
import type { Deletions } from '../tables/record-removals.ts'
import { type BatchSettings, collectingOf } from '../warehouse.ts'

/** What a warehouse stores. */
export interface LayoutSettings extends BatchSettings, DeletesSetting {
  /** `messages`, as by default: a row for each message. `tables`: a row for each record. */
  layout?: 'messages' | 'tables'
}

export const layoutProperties = {
  layout: Type.String({
    description:
      'What a row is. `messages`: a message, as by default. `tables`: a record, in one table for each object, which Mortise creates.',
  }),
  deletes: Type.String({ description: `${deletesDescription} Only with layout tables.` }),
}

export function readLayout(read: SettingsReader): LayoutSettings['layout'] {
  const rule = { what: 'messages or tables', pattern: /^(?:messages|tables)$/ }
  return read.optionalText('layout', rule) as LayoutSettings['layout']
}

/** Reads what a deletion does to a row: only with tables of records. */
export function readDeletesOf(read: SettingsReader, layout: LayoutSettings['layout']): Deletions | undefined {
  const deletes = readDeletes(read)
  if (deletes !== undefined && layout !== 'tables')
    read.refuse('deletes', 'is for tables of records.', 'Set layout to tables. Or remove deletes.')
  return deletes
}

/** Reads the table of messages: required for a row for each message, and without a meaning for tables of records. */
export function readTable(
  read: SettingsReader,
  name: string,
  layout: LayoutSettings['layout'],
  rule: { what: string; pattern: RegExp; remedy: string },
): string | undefined {
  if (layout !== 'tables') return read.text(name, rule)
  if (read.isGiven(name))
    read.refuse(
      name,
      'is for rows of messages.',
      `Remove ${name}: objects name their tables. Or set layout to messages.`,
    )
  return undefined
}

/** When the messages of a warehouse are stored. Tables of records change one batch after the other. */
export function collectingOfLayout(settings: LayoutSettings, { bytes }: { bytes?: number } = {}): Collecting {
  const collecting = collectingOf(settings)
  if (settings.layout !== 'tables') return collecting
  return { ...collecting, concurrency: 1, ...(bytes !== undefined && { bytes }) }
}

/** What people see in place of the name of a table. */
export const tablesShown = '*'
