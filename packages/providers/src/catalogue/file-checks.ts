import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { valueTypes } from '../connector.ts'
import { isHostPattern } from '../interpreter/host-pattern.ts'
import { mergeTree } from '../interpreter/merge-tree.ts'
import { own } from '../interpreter/path.ts'
import { patternFault } from '../interpreter/pattern.ts'
import { templateFault } from '../interpreter/template.ts'
import { didYouMean } from './did-you-mean.ts'
import type { Flaw } from './flaw.ts'
import { ProviderFileOutline, ProviderObject } from './format/provider-file.ts'
import { Read } from './format/read.ts'
import { httpToken } from './lint-base.ts'
import { withLiteralTexts } from './literal-texts.ts'
import { namedPathFault, pathFault } from './path-fault.ts'
import { withSharedParts } from './shared-schemas.ts'

const ajv = new Ajv({
  allErrors: true,
  discriminator: true,
  allowUnionTypes: true,
  strict: true,
  strictRequired: false,
  // Errors then carry the schema that they come from, by which the key that was meant is found.
  verbose: true,
  // Optimized code takes twice as long to make, and checks all built-in files no faster.
  code: { optimize: false },
  // Shared parts are functions: less code to make, and no slower.
  inlineRefs: false,
})
ajv.addFormat('host-pattern', isHostPattern)
ajv.addFormat('literal', (text: string) => !text.includes('{{'))
ajv.addFormat('path', (text: string) => pathFault(text) === undefined)
ajv.addFormat('named-path', (text: string) => namedPathFault(text) === undefined)
ajv.addFormat('place', isLocation)
ajv.addFormat('handshake-location', (text: string) =>
  text.startsWith('query:') ? text.length > 'query:'.length : !/^(?:payload|outer):/.test(text) && isLocation(text),
)
ajv.addFormat('template', (text: string) => templateFault(text) === undefined)
ajv.addFormat('pattern', (text: string) => patternFault(text) === undefined)
ajv.addFormat('capture', (text: string) => captureFault(text) === undefined)
ajv.addFormat('reach', (text: string) => text === 'everything')
ajv.addFormat('day', (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)))
ajv.addFormat('value-type', (text: string) => valueTypes.some((type) => type === text))
ajv.addFormat('path-or-template', (text: string) =>
  text.includes('{{') ? templateFault(text) === undefined : pathFault(text) === undefined,
)

/** Where a part of an event is. */
function isLocation(text: string): boolean {
  if (text.startsWith('header:')) return httpToken.test(text.slice('header:'.length))
  return locationFault(text) === undefined
}

function locationFault(text: string): string | undefined {
  return pathFault(text.replace(/^(?:payload|outer):/, ''))
}

/** A pattern whose group `result` is what it finds. */
function captureFault(text: string): string | undefined {
  return (
    patternFault(text) ??
    (text.includes('(?<result>') ? undefined : 'has no group: put (?<result>…) around the part to keep')
  )
}

/** Further flaws of one schema are not reported. */
const flawsMax = 100

const compiled = new Map<object, ValidateFunction>()

/** Flaws of the file's outline: everything but the objects, which are complete only after `like`. */
export function checkOutline(value: unknown): Flaw[] {
  return flawsOf(ProviderFileOutline, value)
}

/**
 * Returns the flaws of one object, `like` resolved. `incremental.read`, `search`, `listIds` and the requests
 * of `deletions` are checked as merged into `read`.
 */
export function checkObject(value: object): Flaw[] {
  const flaws = flawsOf(ProviderObject, value)
  if (flaws.some(({ isUnknownKey }) => isUnknownKey !== true)) return flaws
  const { read, incremental, search, deletions, listIds } = value as ProviderObject
  // What depends on a read that is not there is a matter of meaning.
  if (read === undefined) return flaws
  return [
    ...flaws,
    ...changedFlaws(read, ['incremental', 'read'], incremental?.read),
    ...changedFlaws(read, ['search'], search),
    ...changedFlaws(read, ['deletions', 'read'], deletions?.read),
    ...changedFlaws(read, ['deletions', 'list'], deletions?.list),
    ...changedFlaws(read, ['listIds'], listIds),
  ]
}

/** Flaws of what changes make of `read`. */
function changedFlaws(read: Read, path: Flaw['path'], changes: object | undefined): Flaw[] {
  if (changes === undefined) return []
  return flawsOf(Read, mergeTree(read, changes)).map((flaw) => ({ ...flaw, path: [...path, ...flaw.path] }))
}

function flawsOf(schema: object, value: unknown): Flaw[] {
  const validate = compiled.get(schema) ?? ajv.compile(withSharedParts(withLiteralTexts(schema)))
  compiled.set(schema, validate)
  if (validate(value)) return []
  // `if` only says that `then` or `else` failed, and `propertyNames` that a key did. Other errors report both.
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if' && keyword !== 'propertyNames')
  const untagged = new Set(errors.flatMap((error) => (isUntagged(error) ? [error.instancePath] : [])))
  // A hostile file has thousands of unknown keys, and finding what was meant by each costs: what is really wrong comes
  // first.
  const unknown = errors.filter(({ keyword }) => keyword === 'additionalProperties')
  const others = errors.filter(
    ({ keyword, instancePath, params, parentSchema }) =>
      keyword !== 'additionalProperties' &&
      !(
        keyword === 'required' &&
        untagged.has(instancePath) &&
        parentSchema?.['discriminator']?.['propertyName'] === params['missingProperty']
      ),
  )
  return [...others, ...unknown].slice(0, flawsMax).map((error) => flawOf(error, value))
}

const formats: Record<string, string> = {
  'host-pattern': 'is not a host name; write accounts.example.com, or *.example.com',
  literal: 'is not a template: {{ }} would be sent as it stands. Write a fixed text',
  reach: 'must be a number of days, or `everything`',
  place: 'must be a path, `payload:` and a path, or `header:` and a header name',
  'value-type': `must be one of ${valueTypes.join(', ')}, or an object`,
}

function flawOf(error: ErrorObject, whole: unknown): Flaw {
  const place = error.instancePath.split('/').slice(1).map(unescapePointer)
  const path = error.propertyName === undefined ? place : [...place, error.propertyName]
  const params = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownKey(path, String(params['additionalProperty']), error.parentSchema)
    case 'required':
      return { path, message: `needs the key "${String(params['missingProperty'])}"` }
    case 'enum':
      return { path, message: oneOf(params['allowedValues'] as unknown[], error.data) }
    case 'discriminator': {
      const shapes = (error.parentSchema?.['oneOf'] ?? []) as { properties: Record<string, { const: unknown }> }[]
      const tag = String(params['tag'])
      const known = shapes.map(({ properties }) => properties[tag]?.const)
      if (params['tagValue'] === undefined) return { path, message: `needs the key "${tag}": ${known.join(', ')}` }
      const message = known.length === 0 ? 'has an unknown value' : oneOf(known, params['tagValue'])
      return { path: [...path, tag], message }
    }
    case 'format': {
      const value = error.propertyName ?? path.reduce<unknown>(own, whole)
      return { path, message: formatFault(String(params['format']), value) }
    }
    case 'type':
      return { path, message: typeFault([params['type']].flat().map(String), error.data, path.length === 0) }
    case 'minimum':
      return { path, message: `must be at least ${String(params['limit'])}` }
    case 'maximum':
      return { path, message: `must be at most ${String(params['limit'])}` }
    case 'minProperties':
      return { path, message: `needs at least one key${keysOf(error.parentSchema)}` }
    case 'minItems':
      return { path, message: `needs at least ${counted(params['limit'], 'item')}` }
    case 'maxItems':
      return { path, message: `can have at most ${counted(params['limit'], 'item')}` }
    case 'minLength':
      return { path, message: `needs at least ${counted(params['limit'], 'character')}` }
    case 'maxLength':
      return { path, message: `can have at most ${counted(params['limit'], 'character')}` }
    default:
      return { path, message: error.message ?? 'does not match the format' }
  }
}

/** The keys of an object that has certain ones, after a colon; empty for a map. */
function keysOf(schema: ErrorObject['parentSchema']): string {
  const keys = Object.keys((schema?.['properties'] ?? {}) as object)
  return keys.length === 0 ? '' : `: ${keys.join(', ')}`
}

function counted(limit: unknown, what: string): string {
  return `${String(limit)} ${what}${limit === 1 ? '' : 's'}`
}

/** Tells an object of several shapes that does not say which it has. */
function isUntagged({ keyword, params }: ErrorObject): boolean {
  return keyword === 'discriminator' && (params as Record<string, unknown>)['tagValue'] === undefined
}

const typeNames: Record<string, string> = {
  string: 'a text',
  array: 'a list',
  object: 'an object',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
}

/** Says what a value must be, and how to write it. */
function typeFault(types: readonly string[], value: unknown, isWhole: boolean): string {
  if (isWhole) return 'must be an object with keys, such as `name: acme`'
  const expected = types.flatMap((type) => type.split(',')).filter((type) => type !== 'null')
  const must = `must be ${expected.map((type) => typeNames[type] ?? type).join(' or ')}`
  if (value === null) return `is empty; it ${must}`
  const isScalar = typeof value !== 'object'
  if (expected[0] === 'array' && isScalar) return `${must}, such as [${String(value)}]`
  return expected[0] === 'string' && isScalar ? `${must}: write '${String(value)}' with its quotes` : must
}

/** More keys are read in the reference, not in an error. */
const keysMax = 12

function unknownKey(path: Flaw['path'], key: string, schema: ErrorObject['parentSchema']): Flaw {
  const keys = Object.keys((schema?.['properties'] ?? {}) as object)
  // Files of earlier releases declared it, at the root and in modules.
  if (key === 'support' && keys.includes('undescribed'))
    return { path: [...path, key], message: 'is derived from the rest of the file: remove it', isUnknownKey: true }
  const all = keys.length > keysMax ? '' : `; known keys: ${keys.join(', ')}`
  const message = `is an unknown key${didYouMean(key, keys) || all}`
  return { path: [...path, key], message, isUnknownKey: true }
}

function oneOf(allowed: readonly unknown[], value: unknown): string {
  const names = allowed.map(String)
  return `must be one of ${names.join(', ')}${typeof value === 'string' ? didYouMean(value, names) : ''}`
}

/** Describes a fault of a template or a path: what is wrong with it, and what to write instead. */
function formatFault(format: string, value: unknown): string {
  const known = formats[format] ?? 'has another form than the format asks for'
  if (typeof value !== 'string') return known
  if (format === 'template' || (format === 'path-or-template' && value.includes('{{')))
    return templateFault(value) ?? known
  if (format === 'pattern') return patternFault(value) ?? known
  if (format === 'capture') return captureFault(value) ?? known
  if (format === 'named-path') return namedPathFault(value) ?? known
  return (format === 'path' || format === 'path-or-template' ? pathFault(value) : undefined) ?? known
}

function unescapePointer(text: string): string {
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}
