import type { TSchema } from 'typebox'

type Finder = (value: unknown) => boolean

interface Node {
  'x-secret'?: boolean
  properties?: Record<string, Node>
  additionalProperties?: Node | boolean
  items?: Node
  anyOf?: Node[]
  oneOf?: Node[]
  allOf?: Node[]
}

/**
 * Tells whether an answer holds something at a place that its schema marks `secret()`. Most answers have no such place:
 * undefined then. By the value and not by the schema alone, because a connection is answered with its credential now
 * and without it mostly.
 */
export function secretFinder(schema: TSchema): Finder | undefined {
  return finderOf(schema as Node)
}

function finderOf(node: Node): Finder | undefined {
  if (node['x-secret']) return (value) => value !== undefined && value !== null
  const finders: Finder[] = []
  for (const [key, property] of Object.entries(node.properties ?? {})) {
    const find = finderOf(property)
    if (find) finders.push((value) => isObject(value) && find(value[key]))
  }
  const { additionalProperties: others, items } = node
  const inOthers = typeof others === 'object' ? finderOf(others) : undefined
  if (inOthers) finders.push((value) => isObject(value) && Object.values(value).some(inOthers))
  const inItems = items && finderOf(items)
  if (inItems) finders.push((value) => Array.isArray(value) && value.some(inItems))
  for (const branch of [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])]) {
    const find = finderOf(branch)
    if (find) finders.push(find)
  }
  if (finders.length === 0) return undefined
  return (value) => finders.some((find) => find(value))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
