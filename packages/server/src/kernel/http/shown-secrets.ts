import type { TSchema } from 'typebox'

type Finder = (value: unknown) => boolean

/** What a schema says about secrets. */
export interface SecretNode {
  'x-secret'?: boolean
  properties?: Record<string, SecretNode>
  /** Of records: TypeBox writes the names that it accepts as a pattern. */
  patternProperties?: Record<string, SecretNode>
  additionalProperties?: SecretNode | boolean
  items?: SecretNode
  anyOf?: SecretNode[]
  oneOf?: SecretNode[]
  allOf?: SecretNode[]
}

/** Returns the schemas that a value below a key may have. Which pattern its name fits does not matter. */
export function nodesBelow(node: SecretNode, key: string): SecretNode[] {
  return branches(node).flatMap(({ properties, patternProperties = {}, additionalProperties, items }) => {
    const own = properties && Object.hasOwn(properties, key) ? properties[key] : undefined
    if (own) return [own]
    const others = typeof additionalProperties === 'object' ? [additionalProperties] : []
    return [...Object.values(patternProperties), ...others, ...(items ? [items] : [])]
  })
}

/** Returns a schema and all that it combines. */
export function branches(node: SecretNode): SecretNode[] {
  const { anyOf = [], oneOf = [], allOf = [] } = node
  return [node, ...[...anyOf, ...oneOf, ...allOf].flatMap(branches)]
}

/**
 * Returns a function that checks whether a response contains a value that its schema marks `secret()`; undefined when
 * the schema marks none, as most do. The value decides, not only the schema, because most responses with a connection
 * omit its credential.
 */
export function secretFinder(schema: TSchema): Finder | undefined {
  return finderOf(schema as SecretNode)
}

function finderOf(node: SecretNode): Finder | undefined {
  if (node['x-secret']) return (value) => value !== undefined && value !== null
  const finders: Finder[] = []
  for (const [key, property] of Object.entries(node.properties ?? {})) {
    const find = finderOf(property)
    if (find) finders.push((value) => isObject(value) && find(value[key]))
  }
  const { additionalProperties, patternProperties = {}, items } = node
  const others = [
    ...Object.values(patternProperties),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ]
  for (const other of others) {
    const inOther = finderOf(other)
    if (inOther) finders.push((value) => isObject(value) && Object.values(value).some(inOther))
  }
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
