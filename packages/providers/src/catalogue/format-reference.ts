import { Authentication } from './format/authentication.ts'
import { CustomInput, CustomRequest, CustomStep, CustomToken } from './format/custom-authentication.ts'
import { CustomFields, WrittenCustomFields } from './format/custom-fields.ts'
import { FieldSource } from './format/field-sources.ts'
import { MakeFields } from './format/make-fields.ts'
import { MetadataInput } from './format/metadata-input.ts'
import { Paging } from './format/paging.ts'
import { ErrorTable, ProviderFileOutline, ProviderModule, ProviderObject, RateLimit } from './format/provider-file.ts'
import { Read } from './format/read.ts'
import { ReadByIds } from './format/read-by-ids.ts'
import { Expression, HealthCheck } from './format/request.ts'
import { EventParts, ObjectEvents, Registration, Verification, Webhooks } from './format/webhooks.ts'
import { Window } from './format/window.ts'
import { BatchAnswer, Gathered, Get, RefusalList, Write, WriteAnswer } from './format/write.ts'

/** The parts of a JSON schema that the reference shows. */
interface Shown {
  type?: string | string[]
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
}

const sections: readonly (readonly [string, unknown])[] = [
  ['The file', ProviderFileOutline],
  ['`inputs`', MetadataInput],
  ['`authentication`', Authentication],
  ['An input of custom authentication', CustomInput],
  ['A step of custom authentication', CustomStep],
  ['The token of custom authentication', CustomToken],
  ['A request of custom authentication', CustomRequest],
  ['`healthCheck`', HealthCheck],
  ['`errors`', ErrorTable],
  ['`rateLimit`', RateLimit],
  ['A module', ProviderModule],
  ['An object', ProviderObject],
  ['`read`', Read],
  ['`customFields`', CustomFields],
  ['One of the `expressions`', Expression],
  ['`paging`', Paging],
  ['`incremental`', Window],
  ['`fields`', FieldSource],
  ['`makeFields`', MakeFields],
  ['`write`', Write],
  ['`write.customFields`', WrittenCustomFields],
  ['The answer of a write', WriteAnswer],
  ['The answer of a batch', BatchAnswer],
  ['A list of what is wrong', RefusalList],
  ['Fields that belong elsewhere', Gathered],
  ['`get`', Get],
  ['`readByIds`', ReadByIds],
  ['`webhooks`', Webhooks],
  ['`webhooks.registration`', Registration],
  ['`webhooks.verify`', Verification],
  ['`webhooks.event`', EventParts],
  ['The events of an object', ObjectEvents],
]

/** The reference of the file format as Markdown, made of the declarations that check files. */
export function formatReference(): string {
  return sections.map(([title, schema]) => section(title, schema as Shown)).join('\n')
}

function section(title: string, schema: Shown): string {
  const intro = schema.description === undefined ? '' : `${schema.description}\n\n`
  if (schema.oneOf === undefined) return `### ${title}\n\n${intro}${table(schema)}`
  const tag = schema.discriminator?.propertyName ?? ''
  const shapes = schema.oneOf.map((shape) => {
    const meaning = shape.properties?.[tag]?.description ?? ''
    return `**\`${tag}: ${shape.title}\`**: ${meaning}\n\n${table(shape, tag)}`
  })
  return `### ${title}\n\n${intro}${shapes.join('\n')}`
}

function table(schema: Shown, except?: string): string {
  const rows = rowsOf(schema, '', except)
  return rows.length === 0 ? '' : `| Key | Type | Meaning |\n| --- | --- | --- |\n${rows.join('\n')}\n`
}

/** Known by their words: a schema is copied where it is optional. */
const shownElsewhere = new Set(sections.map(([, schema]) => (schema as Shown).description).filter(Boolean))

function rowsOf(schema: Shown, prefix: string, except?: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    if (key === except) return []
    const needed = schema.required?.includes(key) === true ? ' *' : ''
    const see = [value, value.items].some((one) => shownElsewhere.has(one?.description)) ? ' (below)' : ''
    const row = `| \`${prefix}${key}\`${needed} | ${typeOf(value)} | ${escapeCell(value.description ?? '')}${see} |`
    const inside = value.oneOf === undefined && see === '' ? (value.items?.properties ? value.items : value) : undefined
    const name = `${prefix}${key}${inside === value ? '.' : '[].'}`
    return inside?.properties === undefined || Array.isArray(value.type) ? [row] : [row, ...rowsOf(inside, name)]
  })
}

function typeOf(schema: Shown): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(' ')
  if (schema.const !== undefined) return `\`${String(schema.const)}\``
  if (schema.items !== undefined && schema.type === 'array') return 'list'
  if (schema.patternProperties !== undefined) return 'map'
  if (Array.isArray(schema.type)) return schema.type.join(', ')
  return schema.type === 'string' ? 'text' : (schema.type ?? 'any')
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
