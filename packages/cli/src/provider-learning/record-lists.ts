import type { References, Shape } from './schemas.ts'

/** Where the records of a list response are, and what one looks like. */
export interface RecordList {
  /** Path of the list; absent if the response is the list. */
  records?: string
  record: Shape
  /** Other values of the response by their path: the parts that page. */
  others: Map<string, Shape>
}

/** Levels of a response that are searched, properties of one object, and values in all. */
const levelsMax = 3
const propertiesMax = 100
const valuesMax = 1000

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
    return isRecord(record) || isUnknown(record)
      ? { record, others: new Map() }
      : 'the items of the list are not objects'
  }
  const values = valuesOf(shape, references)
  const lists = [...values].flatMap(([path, value]) => {
    if (value.type !== 'array') return []
    const record = references.shape(value.items)
    return isRecord(record) || (isUnknown(record) && isListName(path, resource))
      ? [{ path, record, level: path.split('.').length }]
      : []
  })
  // The values come level by level.
  const top = lists.filter(({ level }) => level === lists[0]?.level)
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

/** Whether the document says nothing about the items of a list. */
function isUnknown({ type, properties, items, choices }: Shape): boolean {
  return type === undefined && properties.size === 0 && items === undefined && choices.length === 0
}

/** Values of a response down to the third level, by path. Names that a path cannot have are left out. */
function valuesOf(response: Shape, references: References): Map<string, Shape> {
  const values = new Map<string, Shape>()
  let level = [{ before: '', shape: response }]
  for (let depth = 0; depth < levelsMax; depth++) {
    const next: typeof level = []
    for (const { before, shape } of level) {
      for (const [name, node] of [...shape.properties].slice(0, propertiesMax)) {
        // `@odata.nextLink` has a dot in its name.
        const isPlain = /^[\w@$-][\w@$:-]*$/.test(name) && name !== '$'
        if (values.size >= valuesMax || (!isPlain && name !== '@odata.nextLink')) continue
        const path = isPlain ? `${before}${name}` : `$['${name}']`
        if (!isPlain && before !== '') continue
        const value = references.shape(node)
        values.set(path, value)
        if (isPlain && value.properties.size > 0) next.push({ before: `${path}.`, shape: value })
      }
    }
    level = next
  }
  return values
}
