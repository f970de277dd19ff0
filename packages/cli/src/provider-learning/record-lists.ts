import type { References, Shape } from './schemas.ts'

/** Where the records of a list response are, and what one looks like. */
export interface RecordList {
  /** Path of the list; absent if the response is the list. */
  records?: string
  record: Shape
  /** Other values of the response by their path: the parts that page. */
  others: Map<string, Shape>
}

/** Names of lists of records, where a response has several lists. */
const usual = ['data', 'items', 'results', 'records', 'values', 'value', 'entries', 'list', 'content', 'objects']

/**
 * Finds the records in the response of a list.
 *
 * @param resource the last word of the path, which often is the name of the list
 * @returns undefined if the response is not a list, or a sentence that says why the list is not understood
 */
export function recordListOf(
  answer: unknown,
  resource: string,
  references: References,
): RecordList | string | undefined {
  const shape = references.shape(answer)
  if (shape.type === 'array') {
    const record = references.shape(shape.items)
    return isRecord(record) ? { record, others: new Map() } : 'the items of the list are not objects'
  }
  const values = valuesOf(shape, references, '', 0)
  const lists = [...values].flatMap(([path, value]) => {
    if (value.type !== 'array') return []
    const record = references.shape(value.items)
    return isRecord(record) ? [{ path, record, level: path.split('.').length }] : []
  })
  const top = lists.filter(({ level }) => level === Math.min(...lists.map((list) => list.level)))
  const named = (names: readonly string[]) =>
    top.find(({ path }) => names.includes((path.split('.').at(-1) ?? '').toLowerCase()))
  const found = top.length === 1 ? top[0] : (named([resource.toLowerCase()]) ?? named(usual))
  if (found === undefined) {
    return top.length > 1 && top[0]?.level === 1 && !shape.properties.has('id')
      ? `the response has several lists: ${top.map(({ path }) => path).join(', ')}`
      : undefined
  }
  // A record may have a list in it: it has an id, or the list is one of many values.
  const own = [...shape.properties.keys()]
  if (!isListName(found.path, resource) && (own.includes('id') || own.length > 12)) return undefined
  const others = [...values].filter(([path]) => path !== found.path && !path.startsWith(`${found.path}.`))
  return { records: found.path, record: found.record, others: new Map(others) }
}

function isListName(path: string, resource: string): boolean {
  const name = (path.split('.').at(-1) ?? '').toLowerCase()
  return name === resource.toLowerCase() || usual.includes(name)
}

function isRecord({ type, properties }: Shape): boolean {
  return properties.size > 0 || type === 'object'
}

/** Values of a response down to the third level, by path. Names that a path cannot have are left out. */
function valuesOf(shape: Shape, references: References, before: string, level: number): Map<string, Shape> {
  const values = new Map<string, Shape>()
  for (const [name, node] of [...shape.properties].slice(0, 100)) {
    if (!/^[\w@$-][\w@$:-]*$/.test(name) || name === '$') continue
    const value = references.shape(node)
    const path = `${before}${name}`
    values.set(path, value)
    if (level < 2 && value.properties.size > 0)
      for (const [below, part] of valuesOf(value, references, `${path}.`, level + 1)) values.set(below, part)
  }
  // `@odata.nextLink` has a dot in its name.
  for (const name of level === 0 ? ['@odata.nextLink'] : [])
    if (shape.properties.has(name)) values.set(`$['${name}']`, references.shape(shape.properties.get(name)))
  return values
}
