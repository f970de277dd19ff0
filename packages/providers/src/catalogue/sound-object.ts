import { isObject } from '../interpreter/path.ts'
import { checkObject } from './file-checks.ts'
import type { Flaw } from './flaw.ts'
import type { ProviderObject } from './format/provider-file.ts'

/** Keys whose meaning does not follow from how records are listed. */
const apart = ['displayName', 'set', 'fields', 'makeFields', 'write', 'get'] as const

/** Flaws that only say that a part is not there. */
const ofMissing = /"read"|`read\b|to identify the record|; the id is /

/**
 * Checks the meaning of the parts of an object that its schema accepts, so that one check shows what is wrong with all.
 *
 * @param found what the schema refuses
 */
export function lintSoundObject(
  object: object,
  found: readonly Flaw[],
  lint: (object: ProviderObject) => Flaw[],
): Flaw[] {
  const refused = found.filter(({ isUnknownKey }) => isUnknownKey !== true)
  if (refused.length === 0) return lint(object as ProviderObject)
  const kept: Record<string, unknown> = { ...object }
  for (const {
    path: [key = '', inside],
  } of refused) {
    const part = kept[key]
    if (key === 'write' && inside !== undefined && isObject(part)) {
      const { [inside]: _, ...others } = part
      kept[key] = others
    } else delete kept[key]
  }
  const isWhole = refused.every(({ path: [key] }) => apart.some((one) => one === key))
  const rest = isWhole ? kept : Object.fromEntries(apart.flatMap((key) => (key in kept ? [[key, kept[key]]] : [])))
  // A schema reports only so many flaws: there may be others.
  if (checkObject(rest).some(({ isUnknownKey }) => isUnknownKey !== true)) return []
  return lint(rest as ProviderObject).filter(
    ({ path, message }) => path.length > 0 && (isWhole || !ofMissing.test(message)),
  )
}
