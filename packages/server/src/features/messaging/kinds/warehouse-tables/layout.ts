import { Type } from 'typebox'
import type { Collecting } from '../kind.ts'
import type { SettingsReader } from '../settings-reader.ts'
import { type BatchSettings, collectingOf } from '../warehouse.ts'

/** What a warehouse stores. */
export interface LayoutSettings extends BatchSettings {
  /** `messages`, as by default: a row for each message. `tables`: a row for each record. */
  layout?: 'messages' | 'tables'
}

export const layoutProperty = Type.String({
  description:
    'What a row is. `messages`: a message, as by default. `tables`: a record, in one table for each object, which Mortise creates.',
})

export function readLayout(read: SettingsReader): LayoutSettings['layout'] {
  const rule = { what: 'messages or tables', pattern: /^(?:messages|tables)$/ }
  return read.optionalText('layout', rule) as LayoutSettings['layout']
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
