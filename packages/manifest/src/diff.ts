import { isSame } from './canonical.ts'
import type { IntegrationContent } from './manifest.ts'

/** Names of objects, as the newer content spells them (`removed`: as the older does). */
export interface ObjectsDiff {
  added: string[]
  removed: string[]
  changed: string[]
}

export type PartDiff = 'same' | 'added' | 'removed' | 'changed'

/** What a deploy changes in one integration. */
export interface ContentDiff {
  same: boolean
  read: ObjectsDiff
  write: ObjectsDiff
  subscribe: ObjectsDiff
  proxy: PartDiff
  watchSchema: PartDiff
  agent: PartDiff
  /** `name`, `provider`, `displayName`, `module`, where they differ. */
  fields: ('name' | 'provider' | 'displayName' | 'module')[]
}

/**
 * Compares two contents of an integration. An object is found again by its name, exactly or else whatever its upper
 * and lower case, so that a corrected spelling removes nothing. The order of objects does not count.
 */
export function diffContent(before: IntegrationContent, after: IntegrationContent): ContentDiff {
  const diff: ContentDiff = {
    same: true,
    read: diffObjects(before.read?.objects, after.read?.objects),
    write: diffObjects(before.write?.objects, after.write?.objects),
    subscribe: diffObjects(before.subscribe?.objects, after.subscribe?.objects),
    proxy: diffPart(before.proxy, after.proxy),
    watchSchema: diffPart(before.watchSchema, after.watchSchema),
    agent: diffPart(before.agent, after.agent),
    fields: (['name', 'provider', 'displayName', 'module'] as const).filter((key) => before[key] !== after[key]),
  }
  const isSameObjects = ({ added, removed, changed }: ObjectsDiff) =>
    added.length + removed.length + changed.length === 0
  diff.same =
    [diff.read, diff.write, diff.subscribe].every(isSameObjects) &&
    diff.proxy === 'same' &&
    diff.watchSchema === 'same' &&
    diff.agent === 'same' &&
    diff.fields.length === 0
  return diff
}

interface Named {
  objectName: string
}

function diffObjects(before?: readonly Named[], after?: readonly Named[]): ObjectsDiff {
  const { added, removed, both } = matchObjects(before, after)
  return {
    added: added.map(({ objectName }) => objectName),
    removed: removed.map(({ objectName }) => objectName),
    changed: both.filter(([old, object]) => !isSame(object, old)).map(([, { objectName }]) => objectName),
  }
}

/** Finds the objects of an action again: `added` and `both` in the newer order, `removed` in the older. */
export function matchObjects<T extends Named>(
  before: readonly T[] = [],
  after: readonly T[] = [],
): { added: T[]; removed: T[]; both: [old: T, object: T][] } {
  const left = new Map(before.map((object) => [object.objectName, object]))
  const found = new Map<T, T>()
  const match = (object: T, old: T | undefined): void => {
    if (old === undefined) return
    found.set(object, old)
    left.delete(old.objectName)
  }
  for (const object of after) match(object, left.get(object.objectName))
  const byCase = new Map([...left.values()].map((object) => [object.objectName.toLowerCase(), object]))
  for (const object of after) {
    if (found.has(object)) continue
    const old = byCase.get(object.objectName.toLowerCase())
    match(object, old && left.get(old.objectName))
  }
  const both = after.flatMap((object): [T, T][] => {
    const old = found.get(object)
    return old ? [[old, object]] : []
  })
  return { added: after.filter((object) => !found.has(object)), removed: [...left.values()], both }
}

function diffPart(before: unknown, after: unknown): PartDiff {
  if (before === undefined) return after === undefined ? 'same' : 'added'
  if (after === undefined) return 'removed'
  return isSame(before, after) ? 'same' : 'changed'
}
