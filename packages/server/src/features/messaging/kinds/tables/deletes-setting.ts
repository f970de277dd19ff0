import { Type } from 'typebox'
import type { SettingsReader } from '../settings-reader.ts'
import type { Deletions } from './record-removals.ts'

/** The setting of destinations that may remove rows. */
export interface DeletesSetting {
  /** What a deletion does to the row of its record. By default, `soft`. */
  deletes?: Deletions
}

export const deletesDescription =
  'What happens to the row of a record that is deleted. `soft`: it stays, and _mortise_deleted_at has the time, as by default. `hard`: Mortise removes it, and keeps no value of the record.'
export const deletesProperty = Type.String({ description: deletesDescription })

export function readDeletes(read: SettingsReader): Deletions | undefined {
  const rule = { what: 'soft or hard', pattern: /^(?:soft|hard)$/ }
  return read.optionalText('deletes', rule) as Deletions | undefined
}
