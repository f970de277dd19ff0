import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { inputName, inspect } from './hostile-input.ts'
import { meaningful } from './meaningful-errors.ts'
import type { Issue, Part } from './problem.ts'
import { nodesBelow, type SecretNode } from './shown-secrets.ts'

/** Validates one part of a request; may set defaults in the value. */
export type PartValidator = (value: unknown) => Issue[]

const settings = { useDefaults: true, verbose: true, strict: false, ownProperties: true } as const
const everyFault = new Ajv({ ...settings, allErrors: true })
const firstFault = new Ajv(settings)
// ajv-formats is CommonJS: its default export sits one level deeper under Node's ES modules.
for (const ajv of [everyFault, firstFault]) (formats as unknown as { default: (ajv: Ajv) => Ajv }).default(ajv)

/**
 * In a value with more parts than this, only the first error is reported: each one costs about a kilobyte while errors
 * are collected.
 */
const valuesMax = 10_000

/**
 * Returns the validator of one part. Compiles its schema on first use: compiling every schema made the start a quarter
 * of a second slower. Unknown keys are not an error here: clients send whole objects back. Path and query values are
 * parsed strictly.
 */
export function partValidator(part: Part, schema: TSchema): PartValidator {
  let first: ValidateFunction | undefined
  let every: ValidateFunction | undefined
  return (value) => {
    const { issues, values } = inspect(part, value)
    if (issues.length > 0) return issues
    if (part !== 'body') readTexts(schema, value as Record<string, unknown>)
    first ??= firstFault.compile(schema)
    if (first(value)) return []
    every ??= everyFault.compile(schema)
    if (values <= valuesMax) every(value)
    const errors = (values <= valuesMax ? every : first).errors ?? []
    return meaningful(errors).map((error) => toIssue(part, error, schema))
  }
}

/** Parses `true`, `false`, plain integers and plain numbers; other text stays text and fails its type. */
function readTexts(schema: TSchema, values: Record<string, unknown>): void {
  const properties =
    (schema as unknown as { properties?: Record<string, { type?: string; items?: { type?: string } }> }).properties ??
    {}
  for (const [name, property] of Object.entries(properties)) {
    const text = values[name]
    if (text === undefined) continue
    if (property.type === 'array')
      values[name] = (Array.isArray(text) ? text : [text]).map((item) => readText(property.items?.type, item))
    else values[name] = readText(property.type, text)
  }
}

function readText(type: string | undefined, text: unknown): unknown {
  if (typeof text !== 'string') return text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (type === 'integer') return /^(0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text
  if (type === 'number') return /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(text) ? Number(text) : text
  return text
}

function toIssue(part: Part, error: ErrorObject, schema: TSchema): Issue {
  const params = error.params as { missingProperty?: string; additionalProperty?: string }
  const name = pointerToName(error.instancePath, params.missingProperty ?? params.additionalProperty)
  const issue: Issue = { in: part, name: name || part, detail: sentence(name || `The ${part}`, error) }
  if (error.keyword !== 'required' && error.data !== undefined && !isSecret(schema, error.instancePath))
    issue.value = error.data
  return issue
}

/** Returns whether a path is at or below a part of the schema that is marked `secret()`. */
function isSecret(schema: TSchema, pointer: string): boolean {
  let at: SecretNode[] = [schema as SecretNode]
  for (const key of pointer.split('/').slice(1)) {
    at = at.flatMap((node) => nodesBelow(node, key.replaceAll('~1', '/').replaceAll('~0', '~')))
    if (at.some((node) => node['x-secret'])) return true
  }
  return false
}

function sentence(name: string, error: ErrorObject): string {
  const params = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'required':
      return `${name} is required.`
    case 'enum':
      return `${name} must be one of ${(params['allowedValues'] as unknown[]).join(', ')}.`
    case 'type':
      return `${name} must be ${[params['type']].flat().map(article).join(' or ')}.`
    case 'minLength':
      return `${name} must have at least ${count(params['limit'], 'character')}.`
    case 'maxLength':
      return `${name} must have at most ${count(params['limit'], 'character')}.`
    case 'minItems':
      return `${name} must have at least ${count(params['limit'], 'item')}.`
    case 'maxItems':
      return `${name} must have at most ${count(params['limit'], 'item')}.`
    case 'minimum':
      return `${name} must be ${params['limit']} or more.`
    case 'maximum':
      return `${name} must be ${params['limit']} or less.`
    case 'format':
      return `${name} must be ${formatTexts[String(params['format'])] ?? `of the format ${params['format']}`}.`
    default:
      return `${name} ${error.message ?? 'is not valid'}.`
  }
}

const formatTexts: Record<string, string> = {
  'date-time': 'a time like 2026-01-31T12:00:00Z',
  date: 'a day like 2026-01-31',
  uri: 'a URL',
}

function count(limit: unknown, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? '' : 's'}`
}

function article(type: unknown): string {
  return type === 'null' ? 'null' : `${/^[aeiou]/.test(String(type)) ? 'an' : 'a'} ${type}`
}

/** `/items/0/x` as `items[0].x`. */
function pointerToName(pointer: string, last?: string): string {
  const parts: (string | number)[] = pointer
    .split('/')
    .slice(1)
    .map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')))
  if (last !== undefined) parts.push(last)
  return inputName(parts)
}
