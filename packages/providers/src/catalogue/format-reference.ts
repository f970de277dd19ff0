import { Authentication } from './format/authentication.ts'
import { CostLimit } from './format/cost-limit.ts'
import { CustomInput, CustomRequest, CustomStep, CustomToken } from './format/custom-authentication.ts'
import { CustomFields, WrittenCustomFields } from './format/custom-fields.ts'
import { FieldSource } from './format/field-sources.ts'
import { listing } from './format/listing.ts'
import { MakeFields } from './format/make-fields.ts'
import { MetadataInput } from './format/metadata-input.ts'
import { Paging } from './format/paging.ts'
import { ErrorTable, ProviderFileOutline, ProviderModule, ProviderObject, RateLimit } from './format/provider-file.ts'
import { Parents, Read, ReadAssociation } from './format/read.ts'
import { ReadByIds } from './format/read-by-ids.ts'
import { JobPoll, JobResults, JobSubmit, ReadJob } from './format/read-job.ts'
import { Expression, HealthCheck, request } from './format/request.ts'
import { DeclaredScopes } from './format/scopes.ts'
import { EventStream } from './format/stream.ts'
import { SubscribeRequirements } from './format/support.ts'
import { Verification } from './format/webhook-verification.ts'
import {
  EventParts,
  Handshake,
  HookRequest,
  Lifecycle,
  ObjectEvents,
  Registration,
  Webhooks,
} from './format/webhooks.ts'
import { Window } from './format/window.ts'
import {
  BatchAnswer,
  BatchCreate,
  Gathered,
  Get,
  RefusalList,
  Write,
  WriteAnswer,
  WriteLookup,
} from './format/write.ts'
import { WriteJob, WriteJobRefused, WriteJobWritten } from './format/write-job.ts'

/** The parts of a JSON schema that the reference shows. */
interface Shown {
  type?: string | string[]
  format?: string
  description?: string
  title?: string
  enum?: readonly unknown[]
  const?: unknown
  items?: Shown
  properties?: Record<string, Shown>
  required?: readonly string[]
  oneOf?: readonly Shown[]
  discriminator?: { propertyName: string }
  patternProperties?: Record<string, Shown>
  propertyNames?: { format?: string }
}

/** Keys that many objects have: documented once, and linked wherever an object has them all. */
interface Group {
  title: string
  /** What an object with these keys has. */
  has: string
  intro: string
  keys: Record<string, Shown>
  /** Keys that an object may declare in its own way. */
  varying: readonly string[]
}

const { path, method, query, ...otherRequestKeys } = request as unknown as Record<string, Shown>
const requests: Group = {
  title: 'Requests',
  has: 'the [request keys](#requests)',
  intro: 'Wherever Mortise sends a request to the API, the file describes it with these keys.',
  keys: { method, path, query, ...otherRequestKeys } as Record<string, Shown>,
  varying: ['method', 'body'],
}
const lists: Group = {
  title: 'Lists',
  has: 'the [list keys](#lists) and [request keys](#requests)',
  intro: 'A list is a request with these keys, too.',
  keys: listing as unknown as Record<string, Shown>,
  varying: ['method', 'path'],
}
const refusals: Group = {
  title: 'Error lists',
  has: 'the keys of an [error list](#error-lists)',
  intro: '',
  keys: (RefusalList as Shown).properties ?? {},
  varying: [],
}
const groups = [lists, requests, refusals]

const sections: readonly (readonly [string, unknown])[] = [
  ['File', ProviderFileOutline],
  ['Inputs', MetadataInput],
  ['Authentication', Authentication],
  ['Inputs of custom authentication', CustomInput],
  ['Steps of custom authentication', CustomStep],
  ['Token of custom authentication', CustomToken],
  ['Requests of custom authentication', CustomRequest],
  ['Health check', HealthCheck],
  ['Errors', ErrorTable],
  ['Error lists', RefusalList],
  ['Rate limits', RateLimit],
  ['Cost limits', CostLimit],
  ['Modules', ProviderModule],
  ['Subscription requirements', SubscribeRequirements],
  ['Objects', ProviderObject],
  ['OAuth scopes', DeclaredScopes],
  ['Read', Read],
  ['Parent lists', Parents],
  ['Read jobs', ReadJob],
  ['Start of a job', JobSubmit],
  ['State of a job', JobPoll],
  ['Result of a job', JobResults],
  ['Associations', ReadAssociation],
  ['Custom fields', CustomFields],
  ['Incremental reads', Window],
  ['Fields', FieldSource],
  ['Field creation', MakeFields],
  ['Write', Write],
  ['Lookups', WriteLookup],
  ['Custom fields in writes', WrittenCustomFields],
  ['Write responses', WriteAnswer],
  ['Batch writes', BatchCreate],
  ['Batch responses', BatchAnswer],
  ['Write jobs', WriteJob],
  ['Written records of a job', WriteJobWritten],
  ['Refused records of a job', WriteJobRefused],
  ['Gathered fields', Gathered],
  ['Get', Get],
  ['Read by ids', ReadByIds],
  ['Webhooks', Webhooks],
  ['Registration', Registration],
  ['Registration requests', HookRequest],
  ['Verification', Verification],
  ['Handshakes', Handshake],
  ['Lifecycle notifications', Lifecycle],
  ['Events', EventParts],
  ['Events of an object', ObjectEvents],
  ['Event streams', EventStream],
]

/** Comes after the sections of what stands around requests, before those of what sends them. */
const requestSections: readonly (readonly [string, unknown])[] = [
  ['Expressions', Expression],
  ['Paging', Paging],
]

/** Anchors by description: a schema is copied where it is optional, and keeps its description. */
const anchors = new Map(
  [...sections, ...requestSections].map(([title, schema]) => [(schema as Shown).description, anchorOf(title)]),
)
anchors.delete(undefined)

/** Returns the reference of the file format as Markdown, made of the schemas that check files. */
export function formatReference(): string {
  const [file, ...others] = sections
  return [
    ...(file === undefined ? [] : [section(...file)]),
    ...[requests, lists].map(groupSection),
    ...[...requestSections, ...others].map(([title, schema]) => section(title, schema)),
  ].join('\n')
}

function groupSection({ title, intro, keys }: Group): string {
  const own = title === 'Lists' ? Object.fromEntries(Object.entries(keys).filter(([key]) => !(key in request))) : keys
  const required = Object.keys(own).filter((key) => key === 'path')
  return `## ${title}\n\n${intro}\n\n${table({ properties: own, required }, [])}`
}

function section(title: string, declared: unknown): string {
  const schema = declared as Shown
  const found = title === refusals.title ? undefined : groupOf(schema)
  const has = found === undefined ? '' : `It has ${found.has}${ownKeys(schema).length === 0 ? '.' : ', and:'}`
  const intro = [schema.description ?? '', has].filter((text) => text !== '').join(' ')
  const head = `## ${title}\n\n${intro === '' ? '' : `${intro}\n\n`}`
  const known = title === refusals.title ? [] : groups
  if (schema.oneOf === undefined) return `${head}${table(schema, known)}`
  const tag = schema.discriminator?.propertyName ?? ''
  const shapes = schema.oneOf.map((shape) => {
    const meaning = shape.properties?.[tag]?.description ?? ''
    const group = groupOf(shape)
    const also = group === undefined ? '' : ` It has ${group.has}, and:`
    return `**\`${tag}: ${shape.title}\`**: ${meaning}${also}\n\n${table(shape, known, tag)}`
  })
  return `${head}${shapes.join('\n')}`
}

/** Finds the group whose keys an object has as they are. */
function groupOf({ properties = {} }: Shown): Group | undefined {
  return groups.find(({ keys, varying }) =>
    Object.entries(keys).every(
      ([key, { description }]) => properties[key]?.description === description || varying.includes(key),
    ),
  )
}

function ownKeys(schema: Shown, known: readonly Group[] = groups): [string, Shown][] {
  const found = groupOf(schema)
  const group = found !== undefined && known.includes(found) ? found : undefined
  return Object.entries(schema.properties ?? {}).filter(
    ([key, { description }]) => group?.keys[key]?.description !== description,
  )
}

function table(schema: Shown, known: readonly Group[], except?: string): string {
  const rows = rowsOf(schema, '', known, except)
  return rows.length === 0 ? '' : `| Key | Type | Meaning |\n| --- | --- | --- |\n${rows.join('\n')}\n`
}

function rowsOf(schema: Shown, prefix: string, known: readonly Group[], except?: string): string[] {
  return ownKeys(schema, known).flatMap(([key, value]) => {
    if (key === except) return []
    const needed = schema.required?.includes(key) === true ? ' *' : ''
    const [inside, suffix] = insideOf(value)
    const anchor = [value, inside].map((one) => anchors.get(one?.description)).find((found) => found !== undefined)
    const group = anchor === undefined && inside !== undefined ? groupOf(inside) : undefined
    const meaning = [
      escapeCell(anchor === undefined ? (value.description ?? '') : firstSentence(value.description ?? '')),
      ...(anchor === undefined ? [] : [`See [${anchor.replaceAll('-', ' ')}](#${anchor}).`]),
      ...(group === undefined ? [] : [`Has ${group.has}.`]),
    ]
    const row = `| \`${prefix}${key}\`${needed} | ${typeOf(value)} | ${meaning.join(' ')} |`
    if (inside === undefined || anchor !== undefined) return [row]
    return [row, ...rowsOf(inside, `${prefix}${key}${suffix}`, groups)]
  })
}

/** Returns the object that a value is or holds, with how its keys are written behind that of the value. */
function insideOf(value: Shown): [Shown | undefined, string] {
  if (isCondition(value)) return [undefined, '']
  const entry = Object.values(value.patternProperties ?? {})[0]
  if (entry?.properties !== undefined && !isCondition(entry)) return [entry, '.*.']
  if (value.oneOf !== undefined) return [undefined, '']
  if (value.type === 'array' && value.items?.properties !== undefined) return [value.items, '[].']
  return value.properties === undefined || Array.isArray(value.type) ? [undefined, ''] : [value, '.']
}

/** Tells a condition from other maps: its keys are paths. */
function isCondition({ propertyNames, patternProperties }: Shown): boolean {
  return propertyNames?.format === 'path' && patternProperties !== undefined
}

/** What texts of a format are called. */
const formats: Record<string, string> = {
  template: 'template',
  path: 'path',
  'named-path': 'path',
  'path-or-template': 'path or template',
  pattern: 'pattern',
  capture: 'pattern',
  place: 'location',
  'value-type': 'value type',
}

function typeOf(schema: Shown): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(' ')
  if (schema.const !== undefined) return `\`${String(schema.const)}\``
  const text = formats[schema.format ?? ''] ?? 'text'
  const names: Record<string, string> = {
    string: text,
    array: 'list',
    object: isCondition(schema) ? 'condition' : 'object',
  }
  if (schema.patternProperties !== undefined && !isCondition(schema)) names['object'] = 'map'
  const types = [schema.type ?? 'any'].flat()
  return types.map((type) => names[type] ?? type).join(', ')
}

function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-')
}

/** Returns enough of a description to show what a linked section is about. */
function firstSentence(text: string): string {
  return /^.*?\.(?= [A-Z`]|$)/.exec(text)?.[0] ?? text
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
