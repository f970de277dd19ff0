import { chapters, type Section, type Shown } from './format-sections.ts'

/** A part of the reference that has the keys of a shape: a section, or a key with keys below it. */
interface Home {
  section: Section
  key?: string
  schema: Shown
  /** The keys that the part describes itself. */
  own: readonly string[]
}

/** Keys that another part of the reference describes. */
interface Shared {
  home: Home
  names: readonly string[]
  /** Keys of that part that the object does not have. */
  absent: readonly string[]
}

/** The keys of an object: those that it describes, and those that other parts do. */
interface Split {
  own: readonly string[]
  shared: readonly Shared[]
}

/** The section that is described, and the keys so far that have keys below them: later keys refer to these. */
interface Context {
  section: Section
  inner: Home[]
}

/** A row of a list: keys that have the same description, and rows for the keys inside. */
interface Row {
  names: readonly string[]
  text: string
  /** The section that the names link to. */
  target?: Section | undefined
  below: readonly Row[]
}

/** Shorter descriptions are written out again, because a link would not be shorter. */
const sharedLength = 40

/** More absent keys are not listed: the keys that are there are. */
const absentMax = 2

/** Sections that give an overview: their rows say what a linked section is about. */
const overviews = new Set(['File', 'Objects'])

const sections = chapters.flatMap(([, all]) => all)

/** Schemas by description: one is copied where it is optional, and keeps its description. */
const byDescription = new Map(sections.map((section) => [section.schema.description, section]))
byDescription.delete(undefined)

/** The sections, each with the keys of those before it. */
const homes: Home[] = []
const basic = ['Responses', 'Values', 'Requests', 'List requests']
for (const section of sections.toSorted((a, b) => rankOf(a) - rankOf(b)))
  homes.push({ section, schema: section.schema, own: splitOf(section.schema, []).own })

function rankOf({ title }: Section): number {
  return basic.includes(title) ? basic.indexOf(title) : basic.length
}

/** Returns the reference of the file format as Markdown, made of the schemas that check files. */
export function formatReference(): string {
  const contents = chapters.map(([title, all]) => `- ${title}: ${all.map((one) => linkTo(one, one.title)).join(', ')}`)
  const inner: Home[] = []
  return [contents.join('\n'), ...sections.map((section) => textOf({ section, inner }))].join('\n\n')
}

function textOf(context: Context): string {
  const { title, schema, intro = schema.description ?? '', guide } = context.section
  const tag = schema.discriminator?.propertyName
  const split = splitOf(schema, [])
  const rows = tag === undefined ? rowsOf(schema, split.own, context) : kindsOf(schema, tag, context)
  const examples = guide === undefined ? '' : `[Examples](provider-files.md#${guide}).`
  const head = [intro, examples, hasOf(split, schema, context)].filter((text) => text !== '').join(' ')
  return [`## ${title}`, ...(head === '' ? [] : [head]), ...printed(rows)].join('\n')
}

function printed(rows: readonly Row[], indent = ''): string[] {
  return rows.flatMap(({ names, text, below }) => [
    `${indent}- ${names.join(', ')}${names.length > 1 ? text.replace(' It has ', ' Each has ') : text}`,
    ...printed(below, `${indent}  `),
  ])
}

/** Returns rows for the keys that several kinds have, and for each kind with its own keys. */
function kindsOf({ oneOf = [] }: Shown, tag: string, context: Context): Row[] {
  const kinds = oneOf.map((kind) => ({ kind, ...splitOf(kind, context.inner) }))
  const all = kinds.flatMap(({ kind, own }) => own.map((key) => ({ kind, key, id: identity(kind, key) })))
  const common = [...Map.groupBy(all, ({ id }) => id).values()].filter((uses) => uses.length > 1)
  const isCommon = (kind: Shown, key: string) => common.some(([use]) => use?.id === identity(kind, key))
  return [
    ...common.flatMap(([use]) => (use === undefined ? [] : rowsOf(use.kind, [use.key], context))),
    ...kinds.map(({ kind, own, shared }) => {
      const again = own.filter((key) => isCommon(kind, key))
      const left = own.filter((key) => key !== tag && !isCommon(kind, key))
      const has = hasOf({ own: left, shared }, kind, context, again)
      const text = [`: ${kind.properties?.[tag]?.description ?? ''}`, has].join(' ').trimEnd()
      return { names: [`**\`${tag}: ${kind.title}\`**`], text, below: rowsOf(kind, left, context) }
    }),
  ]
}

/** Says which keys of an object are described elsewhere. */
function hasOf({ own, shared }: Split, schema: Shown, { section }: Context, again: readonly string[] = []): string {
  const all = [
    ...(again.length === 0 ? [] : [quoted(again, schema)]),
    ...shared.map((one) => keysOf(one, schema, section)),
  ]
  return all.length === 0 ? '' : `It has ${own.length > 0 ? `${all.join(', ')}, and:` : `${listed(all)}.`}`
}

/** Returns a row for each key, and one for neighbors with the same description. */
function rowsOf(schema: Shown, keys: readonly string[], context: Context): Row[] {
  const rows: Row[] = []
  for (const row of keys.flatMap((key) => rowOf(schema, key, context))) {
    const last = rows.at(-1)
    const isSame = last?.text === row.text && last.target === row.target && row.below.length + last.below.length === 0
    if (isSame) rows.splice(-1, 1, { ...row, names: [...last.names, ...row.names] })
    else rows.push(row)
  }
  return rows
}

/** Returns the row of a key. A value without a description has none, but what is inside has. */
function rowOf(schema: Shown, key: string, context: Context): Row[] {
  const value = schema.properties?.[key] ?? {}
  const { description: meaning } = value
  const { inside = {}, holder } = insideOf(value)
  const section = sectionOf(value, inside)
  const split = section === undefined ? splitOf(inside, context.inner) : { own: [], shared: [] }
  const rows = rowsOf(inside, split.own, context)
  if (meaning === undefined) return rows
  if (rows.length > 0) context.inner.push({ section: context.section, key, schema: inside, own: split.own })
  const [first, ...others] = split.shared
  const whole = first !== undefined && others.length === 0 && first.home.key === undefined && isWhole(first)
  const target = section ?? (whole ? first.home.section : undefined)
  const type = target === undefined ? typeOf(value) : holder
  // A single key inside is in the same row.
  const [only, ...further] = rows
  const isOnly = only !== undefined && further.length === 0 && only.below.length === 0
  const isTitle = section !== undefined && meaning === (section.intro ?? section.schema.description)
  const text = [
    isTitle ? (overviews.has(context.section.title) ? firstSentence(meaning) : '') : meaning,
    ...(whole ? exceptionsOf(first, inside) : [hasOf(isOnly ? { ...split, own: [] } : split, inside, context)]),
    isOnly ? `Its ${only.names.join(', ')}${only.text === '' ? '.' : only.text}` : '',
  ].filter((part) => part !== '')
  const shown = type === '' || meaning.toLowerCase().startsWith(`${type} `) ? '' : ` (${type})`
  const name = target === undefined ? `\`${key}\`` : linkTo(target, `\`${key}\``)
  return [
    {
      names: [`${name}${starOf(schema, key)}`],
      text: `${shown}${text.length === 0 ? '' : `: ${text.join(' ')}`}`,
      target,
      below: isOnly ? [] : rows,
    },
  ]
}

/** Finds the section that describes a value, or what the value holds. */
function sectionOf(value: Shown, inside: Shown): Section | undefined {
  const found = [value, inside].flatMap((one) => byDescription.get(one.description) ?? [])[0]
  const known = found?.schema.properties ?? {}
  if (found !== undefined && Object.keys(inside.properties ?? {}).every((key) => key in known)) return found
  const keys = JSON.stringify(inside.properties)
  return keys === undefined ? undefined : sections.find(({ schema }) => JSON.stringify(schema.properties) === keys)
}

/** Finds the parts that describe keys of an object: of several, the one with most keys, until no key is left. */
function splitOf(schema: Shown, inner: readonly Home[]): Split {
  const at = homes.findIndex((home) => home.schema === schema)
  const known = at < 0 ? [...homes, ...inner] : homes.slice(0, at)
  const shared: Shared[] = []
  let own = Object.keys(schema.properties ?? {})
  for (;;) {
    const found = known.flatMap((home) => sharedWith(home, schema, own) ?? [])
    const best = found.toSorted((a, b) => Number(isWhole(b)) - Number(isWhole(a)) || gain(b) - gain(a))[0]
    if (best === undefined) return { own, shared }
    shared.push(best)
    own = own.filter((key) => !best.names.includes(key))
  }
}

/** Finds the keys of an object that a part describes. A part passes on the keys of other parts only as a whole. */
function sharedWith(home: Home, schema: Shown, keys: readonly string[]): Shared | undefined {
  const all = Object.keys(home.schema.properties ?? {})
  const names = all.filter((key) => keys.includes(key) && identity(home.schema, key) === identity(schema, key))
  const shared = { home, names, absent: all.filter((key) => schema.properties?.[key] === undefined) }
  const own = names.filter((key) => home.own.includes(key))
  const length = own.map((key) => writtenOf(schema.properties?.[key] ?? {})).join('').length
  if (length < sharedLength) return undefined
  return isWhole(shared) ? shared : { ...shared, names: own }
}

/** Returns what the row of a value would say, if it did not link to a section. */
function writtenOf(value: Shown): string {
  return sectionOf(value, insideOf(value).inside ?? {}) === undefined ? (value.description ?? '') : ''
}

/** How many keys a link saves. Each one that is absent has to be named. */
function gain(shared: Shared): number {
  return shared.names.length - (isWhole(shared) ? shared.absent.length / 10 : 0)
}

/** Whether an object has nearly all keys of a part. */
function isWhole({ home, names, absent }: Shared): boolean {
  const size = Object.keys(home.schema.properties ?? {}).length
  return absent.length <= absentMax && size - absent.length - names.length <= absentMax && names.length * 2 > size
}

/** Returns what is equal for keys that mean the same. */
function identity(schema: Shown, key: string): string {
  const value = schema.properties?.[key] ?? {}
  const inside = Object.keys(insideOf(value).inside?.properties ?? {})
  return JSON.stringify([key, value.description, value.enum, inside])
}

/** Says how an object differs from a part that has nearly all of its keys. */
function exceptionsOf({ home, names, absent }: Shared, schema: Shown): string[] {
  const changed = names.filter((key) => isNeeded(home.schema, key) !== isNeeded(schema, key))
  return [
    ...(absent.length === 0 ? [] : [`It has no ${quoted(absent)}.`]),
    ...changed.map((key) => `\`${key}\` is ${isNeeded(schema, key) ? 'required' : 'optional'}.`),
  ]
}

function keysOf(shared: Shared, schema: Shown, section: Section): string {
  const { home, names } = shared
  const title = linkTo(home.section, lowered(home.section.title))
  const part = home.key === undefined ? title : `\`${home.key}\`${home.section === section ? '' : ` of ${title}`}`
  if (!isWhole(shared)) return `${quoted(names, schema)} of ${part}`
  const exceptions = exceptionsOf(shared, schema)
    .join(' ')
    .replace(/^It has no/, 'no')
    .replace(/\.$/, '')
  return `the keys of ${part}${exceptions === '' ? '' : ` (${exceptions})`}`
}

/** Lists keys. Those that the schema requires have a star. */
function quoted(names: readonly string[], schema: Shown = {}): string {
  const all = names.map((name) => `\`${name}\`${starOf(schema, name)}`)
  return listed(all)
}

function listed(all: readonly string[]): string {
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}

/** Returns a title in small letters, as far as it is not an abbreviation. */
function lowered(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? `${title[0]?.toLowerCase()}${title.slice(1)}` : title
}

function linkTo({ title }: Section, text: string): string {
  return `[${text}](#${title.toLowerCase().replaceAll(' ', '-')})`
}

function starOf(schema: Shown, key: string): string {
  return isNeeded(schema, key) ? '*' : ''
}

function isNeeded({ required }: Shown, key: string): boolean {
  return required?.includes(key) === true
}

/** Returns the object that a value is or holds, and what holds it. */
function insideOf(value: Shown): { inside?: Shown | undefined; holder: string } {
  if (isCondition(value)) return { holder: '' }
  const entry = Object.values(value.patternProperties ?? {})[0]
  if (entry?.properties !== undefined && !isCondition(entry)) return { inside: entry, holder: 'map' }
  if (value.oneOf !== undefined) return { holder: '' }
  const { items, properties } = value
  const isList = value.type === 'array'
  if ([value.type].flat().includes('array') && (items?.properties ?? items?.oneOf) !== undefined)
    return { inside: items, holder: isList ? 'list' : '' }
  return properties === undefined || isList ? { holder: '' } : { inside: value, holder: '' }
}

/** Tells a condition from other maps: a value of it may be `{ present: true }`. */
function isCondition({ patternProperties = {} }: Shown): boolean {
  return Object.values(patternProperties)[0]?.properties?.present !== undefined
}

/** What texts of a format are called. Other texts have no type in the reference. */
const formats: Record<string, string> = {
  template: 'template',
  path: 'path',
  'named-path': 'path',
  'path-or-template': 'path or template',
  pattern: 'pattern',
  capture: 'pattern',
  place: 'location',
  'handshake-location': 'location',
  'value-type': 'value type',
}

function typeOf(schema: Shown): string {
  const items = schema.type === 'array' ? schema.items?.enum : undefined
  if (items !== undefined) return `list of ${items.map((item) => `\`${String(item)}\``).join(', ')}`
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (values !== undefined) {
    const names = values.map((value) => `\`${String(value)}\``)
    return names.every((name) => schema.description?.includes(name)) ? '' : names.join(', ')
  }
  const types = [schema.type ?? 'any'].flat()
  const text = formats[schema.format ?? ''] ?? (types.length > 1 ? 'text' : '')
  const map = schema.patternProperties !== undefined
  const object = isCondition(schema) ? 'condition' : map ? 'map' : types.length > 1 ? 'object' : ''
  const names: Record<string, string> = { string: text, array: 'list', object }
  return types.map((type) => names[type] ?? type).join(', ')
}

/** Returns enough of a description to show what a linked section is about. */
function firstSentence(text: string): string {
  return /^.*?\.(?= [A-Z`]|$)/.exec(text)?.[0] ?? text
}
