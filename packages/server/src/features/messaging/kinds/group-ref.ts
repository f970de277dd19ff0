import { hashedName, nameBytesMax } from './tables/rows.ts'

/** What a setting contains where the group of a message is filled in. */
export const groupPlaceholder = '{{groupRef}}'

/** What is filled in for a message without a group. */
const noGroup = '_'

/**
 * Returns the placeholders of a text that nothing stands for, in a sentence; undefined if there is none. Half of one is
 * one, too.
 */
export function unknownPlaceholder(text: string, known: readonly string[] = [groupPlaceholder]): string | undefined {
  const rest = known.reduce((left, placeholder) => left.replaceAll(placeholder, ''), text)
  if (!rest.includes('{{') && !rest.includes('}}')) return undefined
  const [, name = ''] = /\{\{([^{}]{0,40})\}\}/.exec(rest) ?? []
  return name === '' ? 'It has a placeholder without an end.' : `It has the unknown placeholder {{${name}}}.`
}

/** Up to 32 characters before the group, so that a name keeps most of it. */
const nameByGroup = /^[A-Za-z_][A-Za-z0-9_]{0,30}_\{\{groupRef\}\}$/

/**
 * Checks the name of a schema or of a database for each group, such as `crm_{{groupRef}}`. Returns what is wrong with
 * it.
 *
 * @param reserved how names of the server begin, in lowercase: no group may get one of them
 */
export function refusalOfName(
  name: string,
  reserved: readonly string[],
): { detail: string; remedy: string } | undefined {
  const lower = name.toLowerCase()
  if (nameByGroup.test(name) && !reserved.some((start) => lower.startsWith(start))) return undefined
  const example = `such as crm_${groupPlaceholder}.`
  const unknown = unknownPlaceholder(name)
  if (unknown !== undefined)
    return { detail: `is not accepted. ${unknown}`, remedy: `Use ${groupPlaceholder}, ${example}` }
  return {
    detail: `must have 2 to 32 letters, digits and underscores before ${groupPlaceholder}, the last an underscore, and nothing after it. It cannot begin with ${reserved.join(' or ')}.`,
    remedy: `Give one ${example}`,
  }
}

/** Returns the group of a message: of a data message, or of the data of a notification. */
export function groupRefOf(body: object): string | undefined {
  const { groupRef, data } = body as { groupRef?: unknown; data?: { groupRef?: unknown } | null }
  const found = groupRef ?? data?.groupRef
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** A name that stays as it is. No hashed name is one: those end with an underscore and eight digits. */
const plainName = /^[a-z0-9][a-z0-9_]*$/
const hashedEnd = /_[0-9a-f]{8}$/

/**
 * Fills the group into the name of a schema or of a database. A group whose name is not one of lowercase letters,
 * digits and underscores gets a hash, so that two groups never share one.
 */
export function schemaForGroup(schema: string, body: object): string {
  const groupRef = groupRefOf(body)
  if (groupRef === undefined) return schema.replace(groupPlaceholder, noGroup)
  const name = groupRef.toLowerCase().replaceAll(/[^\p{L}\p{N}_]+/gu, '_')
  const filled = schema.replace(groupPlaceholder, () => name)
  const isPlain = plainName.test(groupRef) && !hashedEnd.test(groupRef) && Buffer.byteLength(filled) <= nameBytesMax
  return isPlain ? filled : hashedName(filled, groupRef)
}
