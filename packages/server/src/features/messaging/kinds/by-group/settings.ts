import { Type } from 'typebox'
import type { Read } from '../kind.ts'
import { SettingsReader } from '../settings-reader.ts'

export interface ByGroupSettings {
  /** Name of the destination of messages whose group has none. */
  default?: string
}

const name = {
  what: 'the name of a destination: 1 to 128 letters, digits and dashes',
  pattern: /^[A-Za-z0-9-]{1,128}$/,
  remedy: 'Give the name of another destination, or leave it out.',
}

export const properties = {
  default: Type.Optional(
    Type.String({
      description:
        'Name of the destination that gets messages whose group has none, and messages without a group. Without it, they become dead letters.',
    }),
  ),
}

export function readSettings(input: Record<string, unknown>, at: string): Read<ByGroupSettings> {
  const read = new SettingsReader(input, at)
  const found = read.optionalText('default', name)
  return { settings: found === undefined ? {} : { default: found }, issues: read.issues }
}
