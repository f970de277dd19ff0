import { Type } from 'typebox'
import type { DestinationKind } from './kind.ts'
import { SettingsReader } from './settings-reader.ts'

interface OrderSettings {
  ordered?: boolean
}

const ordered = Type.Boolean({
  description:
    'Whether messages of one object of an installation arrive in the order in which they were created: each is sent when the one before it was delivered, or became a dead letter. By default, a message that is tried again arrives later.',
})

/** Adds the setting `ordered` to a kind that sends messages as they are. Delivery keeps the order. */
export function inOrder<S extends object>(kind: DestinationKind<S>): DestinationKind<S & OrderSettings> {
  return {
    ...kind,
    properties: { ...kind.properties, ordered },
    readSettings(input, at, services) {
      const { settings, issues } = kind.readSettings(input, at, services)
      const read = new SettingsReader(input, at)
      const isOrdered = read.optionalBoolean('ordered')
      return {
        settings: { ...settings, ...(isOrdered !== undefined && { ordered: isOrdered }) },
        issues: [...issues, ...read.issues],
      }
    },
    isOrdered: (settings) => settings.ordered === true,
  }
}
