import { Type } from 'typebox'
import type { Read } from '../kind.ts'
import { SettingsReader } from '../settings-reader.ts'

export interface FanOutSettings {
  /** Names of other destinations. */
  destinations: string[]
}

const membersMax = 20
const namePattern = /^[A-Za-z0-9-]{1,128}$/
const remedy = 'Give names of other destinations, such as ["crm-events", "crm-tables"].'

export const properties = {
  destinations: Type.Array(Type.String(), {
    description: `Names of 1 to ${membersMax} other destinations: a list, or a text with commas between them.`,
  }),
}

export function readSettings(input: Record<string, unknown>, at: string): Read<FanOutSettings> {
  const read = new SettingsReader(input, at)
  const names = namesIn(input['destinations'])
  if (!read.isGiven('destinations')) read.refuse('destinations', 'is required.', remedy)
  else if (names === undefined) read.refuse('destinations', 'must be a list of names.', remedy)
  else if (names.length === 0 || names.length > membersMax)
    read.refuse('destinations', `must have 1 to ${membersMax} names, and has ${names.length}.`, remedy)
  else
    for (const [index, name] of names.entries())
      if (!namePattern.test(name))
        read.refuse(`destinations[${index}]`, 'must be the name of a destination: letters, digits and dashes.', remedy)
      else if (names.indexOf(name) < index)
        read.refuse(`destinations[${index}]`, `names ${name} a second time.`, 'Name each destination once.')
  return { settings: { destinations: names ?? [] }, issues: read.issues }
}

/** Names of a list, or of a text with commas between them. */
function namesIn(value: unknown): string[] | undefined {
  if (typeof value === 'string')
    return value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
  return Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined
}
