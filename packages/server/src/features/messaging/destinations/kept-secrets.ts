import { isDeepStrictEqual } from 'node:util'
import { type Issue, type KeptSecret, keptSecretIssues } from '../../../kernel/http/index.ts'
import { type DestinationKind, maskedPaths, secretNames } from '../kinds/index.ts'
import type { DestinationUpdate } from './model.ts'

/**
 * Returns an issue for each stored secret that an update would send to another receiver without giving it again.
 *
 * @param after settings that were read without issues
 */
export function redirectIssues(
  kind: DestinationKind,
  { before, after }: { before: object; after: object },
  update: DestinationUpdate,
): Issue[] {
  return keptSecretIssues(
    Object.entries(kind.receivers).flatMap(([name, { settings, of, isKeptByUrlAlone }]) => {
      if (isKeptByUrlAlone === true && isUrlAlone(update)) return []
      const kept = keptPaths(kind, name, { before, after }, update)
      if (kept.length === 0) return []
      const decidedBy = settings
        .filter((setting) => !isDeepStrictEqual(Reflect.get(before, setting), Reflect.get(after, setting)))
        .map((setting) => `destination.metadata.${setting}`)
      return kept.map((path): KeptSecret => ({ path, receivers: of(after), before: of(before), decidedBy }))
    }),
  )
}

/** Existing clients change the address of a webhook in this way. */
function isUrlAlone({ updateMask }: DestinationUpdate): boolean {
  return updateMask.every((path) => ['name', 'type', 'metadata.url'].includes(path))
}

/** Paths of what the update keeps of a secret: all of it, or values of it that are masked. */
function keptPaths(
  kind: DestinationKind,
  name: string,
  { before, after }: { before: object; after: object },
  { updateMask, destination }: DestinationUpdate,
): string[] {
  const [stored, left] = [before, after].map((settings) => Reflect.get(settings, name) as unknown)
  if (stored === undefined || left === undefined) return []
  const part = secretNames(kind).includes(name) ? 'secrets' : 'metadata'
  const path = `destination.${part}.${name}`
  if (!updateMask.includes(part) && !updateMask.includes(`${part}.${name}`)) return [path]
  // Nobody is shown a value of `secrets`, so none can be masked.
  if (part === 'secrets') return []
  return maskedPaths(destination.metadata?.[name], stored, Reflect.get(kind.maskSettings(before), name), path)
}
