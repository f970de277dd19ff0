import { Type } from 'typebox'
import type { Read } from '../kind.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'

export interface RecordsSettings {
  /** Days after which a record is deleted that no message named. By default, none is. */
  retentionDays?: number
  /** Whether contents are encrypted. By default, they are. */
  encryption?: boolean
}

/** How long deleted records stay as marks by default, in days. */
export const marksDaysDefault = 30
const retentionDaysMax = 3_650

export const properties = {
  retentionDays: Type.Integer({
    description: `Deletes a record when no message has named it for so many days: 1 to ${retentionDaysMax}. By default, records stay, and deleted records stay as marks for ${marksDaysDefault} days.`,
  }),
  encryption: Type.Boolean({
    description: 'Whether the contents of records are stored encrypted. By default, true.',
  }),
}

export function readSettings(input: Record<string, unknown>, at: string): Read<RecordsSettings> {
  const read = new SettingsReader(input, at)
  const settings = definedSettings<RecordsSettings>({
    retentionDays: read.optionalInteger('retentionDays', { min: 1, max: retentionDaysMax }),
    encryption: read.optionalBoolean('encryption'),
  })
  return { settings, issues: read.issues }
}
