import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import type { Issue } from './problem.ts'

export type Part = 'path' | 'query' | 'body'

/** Checks one part of a request; the value may be changed by defaults. */
export type PartValidator = (value: unknown) => Issue[]

const ajv = new Ajv({ allErrors: true, useDefaults: true, verbose: true, strict: false, ownProperties: true })
// ajv-formats is CommonJS: its default export sits one level deeper under Node's ES modules.
;(formats as unknown as { default: (ajv: Ajv) => Ajv }).default(ajv)

/** Compiles the schema of one part. Unknown keys are never an error; path and query values are read strictly from their text. */
export function partValidator(part: Part, schema: TSchema): PartValidator {
  const check: ValidateFunction = ajv.compile(schema)
  return (value) => {
    if (part !== 'body') readTexts(schema, value as Record<string, unknown>)
    if (check(value)) return []
    return (check.errors ?? [])
      .filter((error) => error.keyword !== 'anyOf' || !nested(error, check.errors ?? []))
      .map((error) => toIssue(part, error))
  }
}

/** An `anyOf` that failed says nothing that its branches did not say. */
function nested(error: ErrorObject, all: ErrorObject[]): boolean {
  return all.some((other) => other !== error && other.schemaPath.startsWith(`${error.schemaPath}/`))
}

/** `true` and `false`, plain integers and plain numbers become values; anything else stays text and fails its type. */
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
  if (type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  if (type === 'number') return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text
  return text
}

function toIssue(part: Part, error: ErrorObject): Issue {
  const params = error.params as { missingProperty?: string; additionalProperty?: string; allowedValues?: unknown[] }
  const name = pointerToName(error.instancePath, params.missingProperty ?? params.additionalProperty)
  const issue: Issue = { in: part, name: name || part, detail: sentence(name || `the ${part}`, error) }
  if (error.keyword !== 'required' && error.data !== undefined) issue.value = error.data
  return issue
}

function sentence(name: string, error: ErrorObject): string {
  const params = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'required':
      return `${name} is required.`
    case 'enum':
      return `${name} must be one of ${(params['allowedValues'] as unknown[]).join(', ')}.`
    case 'type':
      return `${name} must be ${article(String(params['type']))}.`
    case 'minLength':
      return `${name} must not be shorter than ${params['limit']} characters.`
    case 'maxLength':
      return `${name} must not be longer than ${params['limit']} characters.`
    case 'minItems':
      return `${name} must have at least ${params['limit']} item.`
    default:
      return `${name} ${error.message ?? 'is not valid'}.`
  }
}

function article(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

/** `/items/0/x` as `items[0].x`. */
function pointerToName(pointer: string, last?: string): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (last !== undefined) parts.push(last)
  return parts.reduce((name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : name ? `${name}.${part}` : part), '')
}

const depthMax = 64

/**
 * Refuses what no operation can store: text with NUL or with half a surrogate pair (PostgreSQL takes neither), keys that reach for
 * prototypes, and nesting beyond 64 levels. Walks without recursion.
 */
export function hostileInput(part: Part, value: unknown): Issue[] {
  const issues: Issue[] = []
  const stack: { value: unknown; name: string; depth: number }[] = [{ value, name: '', depth: 0 }]
  for (let item = stack.pop(); item !== undefined && issues.length < 100; item = stack.pop()) {
    const { value: current, name, depth } = item
    if (typeof current === 'string') {
      if (current.includes('\u0000'))
        issues.push({ in: part, name: name || part, detail: `${name || part} must not contain the character NUL.` })
      else if (!current.isWellFormed())
        issues.push({ in: part, name: name || part, detail: `${name || part} must be well-formed Unicode.` })
    } else if (typeof current === 'object' && current !== null) {
      if (depth >= depthMax) {
        issues.push({
          in: part,
          name: name.slice(0, 200) || part,
          detail: `The ${part} is nested deeper than ${depthMax} levels.`,
        })
        continue
      }
      for (const [key, child] of Object.entries(current)) {
        const childName = Array.isArray(current) ? `${name}[${key}]` : name ? `${name}.${key}` : key
        if (!Array.isArray(current)) {
          if (key === '__proto__' || key === 'constructor' || key === 'prototype')
            issues.push({ in: part, name: childName, detail: `The key ${key} is not allowed.` })
          if (key.includes('\u0000') || !key.isWellFormed())
            issues.push({ in: part, name: part, detail: 'A key is not well-formed Unicode.' })
        }
        stack.push({ value: child, name: childName, depth: depth + 1 })
      }
    }
  }
  return issues
}
