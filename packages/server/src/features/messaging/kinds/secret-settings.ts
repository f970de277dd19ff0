import type { DestinationKind } from './kind.ts'

type Kind = Pick<DestinationKind, 'secretProperties'>

/** Returns the names of the settings that a kind keeps secret. */
export function secretNames({ secretProperties = {} }: Kind): string[] {
  return Object.keys(secretProperties)
}

/** Leaves out what the kind keeps secret. */
export function withoutSecrets(kind: Kind, settings: object): object {
  const names = secretNames(kind)
  if (names.length === 0) return settings
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name)))
}
