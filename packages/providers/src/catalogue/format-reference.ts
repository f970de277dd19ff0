import { chapters, type Section, type Shown } from './format-sections.ts'

/** Keys that another section describes. */
interface Shared {
  section: Section
  names: readonly string[]
  /** Keys of that section that the object does not have. */
  absent: readonly string[]
}

const sections = chapters.flatMap(([, all]) => all)
/** These come first: other sections have their keys. */
const precedence = ['Requests', 'List requests', 'Child lists', ...sections.map(({ title }) => title)]

/** Fewer rows are written out again, because a link would not be shorter. */
const sharedMin = 3
/** More absent keys are not listed: the keys that are there are. */
const absentMax = 3

/** Sections that give an overview: their rows say what a linked section is about. */
const overviews = new Set(['File', 'Objects'])

/** Schemas by description: one is copied where it is optional, and keeps its description. */
const byDescription = new Map(sections.map((section) => [section.schema.description, section]))
byDescription.delete(undefined)

/** Returns the reference of the file format as Markdown, made of the schemas that check files. */
export function formatReference(examples: ReadonlyMap<string, string>): string {
  const contents = chapters.map(([title, all]) => `- ${title}: ${all.map((one) => linkTo(one, one.title)).join(', ')}`)
  return [contents.join('\n'), ...sections.map((section) => textOf(section, examples.get(section.title)))].join('\n\n')
}

function textOf(section: Section, example: string | undefined): string {
  const { title, schema, intro = schema.description ?? '' } = section
  const tag = schema.discriminator?.propertyName
  const rows = tag === undefined ? rowsOf(schema, '', section) : []
  const shared = tag === undefined ? sharedWith(schema, section) : undefined
  const has = shared === undefined ? '' : `It has ${keysOf(shared)}${rows.length > 0 ? ', and:' : '.'}`
  return [
    `## ${title}`,
    [intro, has].filter((text) => text !== '').join(' '),
    example === undefined ? '' : `\`\`\`yaml\n${example}\n\`\`\``,
    tag === undefined ? rows.join('\n') : shapesOf(schema, tag),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
}

/** Returns the shapes of a schema, after the keys that several of them have. */
function shapesOf({ oneOf = [] }: Shown, tag: string): string {
  const times = new Map<string, number>()
  for (const shape of oneOf) for (const [key] of entriesOf(shape)) add(times, identity(shape, key))
  const common = new Map<string, string[]>()
  const shapes = oneOf.map((shape) => {
    const group = sharedWith(shape)
    const again = entriesOf(shape)
      .map(([key]) => key)
      .filter((key) => key !== tag && (times.get(identity(shape, key)) ?? 0) > 1 && group?.names.includes(key) !== true)
    for (const key of again) common.set(identity(shape, key), rowOf(shape, key, ''))
    const rows = rowsOf(shape, '', undefined, new Set([tag, ...again]))
    const meaning = shape.properties?.[tag]?.description ?? ''
    const has = [...(again.length === 0 ? [] : [quoted(again)]), ...(group === undefined ? [] : [keysOf(group)])]
    const also = has.length === 0 ? '' : ` It has ${has.join(', ')}${rows.length > 0 ? ', and:' : '.'}`
    const head = `**\`${tag}: ${shape.title}\`**: ${meaning}${also}`
    return rows.length === 0 ? head : `${head}\n\n${rows.join('\n')}`
  })
  if (common.size === 0) return shapes.join('\n\n')
  return [`Keys of several kinds:\n\n${[...common.values()].flat().join('\n')}`, ...shapes].join('\n\n')
}

function add(times: Map<string, number>, key: string): void {
  times.set(key, (times.get(key) ?? 0) + 1)
}

/** Returns the rows of a schema: a row for each key, and for the keys inside, without those of other sections. */
function rowsOf(schema: Shown, indent: string, section?: Section, except: ReadonlySet<string> = new Set()): string[] {
  const elsewhere = new Set(sharedWith(schema, section)?.names)
  const isOverview = overviews.has(section?.title ?? '')
  return entriesOf(schema).flatMap(([key]) =>
    except.has(key) || elsewhere.has(key) ? [] : rowOf(schema, key, indent, isOverview),
  )
}

function rowOf(schema: Shown, key: string, indent: string, isOverview = false): string[] {
  const value = schema.properties?.[key] ?? {}
  const needed = isNeeded(schema, key) ? '*' : ''
  const { inside, holder } = insideOf(value)
  const section = sectionOf(value, inside)
  const shared = inside === undefined || section !== undefined ? undefined : sharedWith(inside)
  const whole = shared !== undefined && isWhole(shared) ? shared : undefined
  const target = section ?? whole?.section
  const rows = inside === undefined || section !== undefined ? [] : rowsOf(inside, `${indent}  `)
  const type = target === undefined ? typeOf(value) : holder
  const own = section !== undefined && meaningOf(value) === (section.intro ?? section.schema.description)
  const meaning = [
    own ? (isOverview ? firstSentence(meaningOf(value)) : '') : meaningOf(value),
    ...(whole !== undefined && whole.absent.length > 0 ? [`It has no ${quoted(whole.absent)}.`] : []),
    ...(shared !== undefined && whole === undefined
      ? [`It has ${keysOf(shared)}${rows.length > 0 ? ', and:' : '.'}`]
      : []),
  ]
  // A value without a row does not indent what is inside.
  if (value.description === undefined) return section !== undefined ? [] : rowsOf(inside ?? {}, indent)
  const shown = type === '' || meaning[0]?.toLowerCase().startsWith(`${type} `) === true ? '' : ` (${type})`
  const name = target === undefined ? `\`${key}\`` : linkTo(target, `\`${key}\``)
  // A single key that the linked section lacks is in the same row.
  const [only] = target !== undefined && rows.length === 1 ? rows : []
  const text = [...meaning, ...(only === undefined ? [] : [only.replace(/^ *- /, 'Its ')])].join(' ').trim()
  return [`${indent}- ${name}${needed}${shown}${text === '' ? '' : `: ${text}`}`, ...(only === undefined ? rows : [])]
}

function meaningOf(value: Shown): string {
  return value.description ?? ''
}

/** Finds the section that describes a value, or what the value holds. */
function sectionOf(value: Shown, inside: Shown | undefined): Section | undefined {
  const found = [value, inside].flatMap((one) => byDescription.get(one?.description) ?? [])[0]
  const known = found?.schema.properties ?? {}
  if (found !== undefined && Object.keys(inside?.properties ?? {}).every((key) => key in known)) return found
  const keys = JSON.stringify((inside ?? value).properties)
  return sections.find(({ schema }) => schema.properties !== undefined && JSON.stringify(schema.properties) === keys)
}

/** Finds the section that describes most keys of an object. */
function sharedWith(schema: Shown, own?: Section): Shared | undefined {
  const last = own === undefined ? precedence.length : precedence.indexOf(own.title)
  const found: Shared[] = []
  for (const title of precedence.slice(0, last)) {
    const section = sections.find((one) => one.title === title)
    if (section === undefined || section === own || section.schema.properties === undefined) continue
    const keys = Object.keys(section.schema.properties)
    const names = keys.filter((key) => identity(section.schema, key) === identity(schema, key))
    const rows = names.flatMap((key) => rowsInside(schema, key))
    if (rows.length < sharedMin) continue
    found.push({ section, names, absent: keys.filter((key) => schema.properties?.[key] === undefined) })
  }
  const most = (all: readonly Shared[]) =>
    all.toSorted((a, b) => gain(b) - gain(a) || b.names.length - a.names.length)[0]
  return most(found.filter(isWhole)) ?? most(found)
}

/** How many keys a link saves: each one that is absent has to be named. */
function gain({ names, absent }: Shared): number {
  return names.length - (absent.length > absentMax ? 0 : absent.length)
}

/** Whether an object has nearly all keys of a section. */
function isWhole({ section, names, absent }: Shared): boolean {
  return absent.length <= absentMax && names.length * 2 > Object.keys(section.schema.properties ?? {}).length
}

/** Returns the keys of a value and of what is inside. */
function rowsInside(schema: Shown, key: string): string[] {
  const value = schema.properties?.[key] ?? {}
  const { inside } = insideOf(value)
  const isLinked = byDescription.has(value.description) || byDescription.has(inside?.description)
  return [key, ...(inside === undefined || isLinked ? [] : Object.keys(inside.properties ?? {}))]
}

/** Returns what is equal for keys that mean the same, and empty for a key that there is not. */
function identity(schema: Shown, key: string): string {
  const value = schema.properties?.[key]
  if (value === undefined) return ''
  return JSON.stringify([key, value.description, isNeeded(schema, key), value.enum])
}

function keysOf(shared: Shared): string {
  const { section, names, absent } = shared
  const link = linkTo(section, lowered(section.title))
  if (!isWhole(shared)) return `${quoted(names)} of ${link}`
  return `the keys of ${link}${absent.length === 0 ? '' : ` without ${quoted(absent)}`}`
}

/** Returns a title in small letters, as far as it is not an abbreviation. */
function lowered(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? `${title[0]?.toLowerCase()}${title.slice(1)}` : title
}

function quoted(names: readonly string[]): string {
  const all = names.map((name) => `\`${name}\``)
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}

function linkTo({ title }: Section, text: string): string {
  return `[${text}](#${title.toLowerCase().replaceAll(' ', '-')})`
}

function entriesOf({ properties = {} }: Shown): [string, Shown][] {
  return Object.entries(properties)
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

/** Tells a condition from other maps: its keys are paths. */
function isCondition({ propertyNames, patternProperties }: Shown): boolean {
  return propertyNames?.format === 'path' && patternProperties !== undefined
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
