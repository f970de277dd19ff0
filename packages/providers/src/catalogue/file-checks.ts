import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { valueTypes } from '../connector.ts'
import { mergeTree } from '../interpreter/merge-tree.ts'
import { own, pathNames } from '../interpreter/path.ts'
import { templateFault } from '../interpreter/template.ts'
import { ProviderFileOutline, ProviderObject } from './format/provider-file.ts'
import { Read } from './format/read.ts'
import { httpToken } from './lint-base.ts'

/** Something wrong in a provider file, by its place in the document. */
export interface Flaw {
  path: readonly (string | number)[]
  message: string
}

const ajv = new Ajv({
  allErrors: true,
  discriminator: true,
  allowUnionTypes: true,
  strict: true,
  strictRequired: false,
})
ajv.addFormat('path', (text: string) => pathNames(text) !== undefined)
ajv.addFormat('place', isPlace)
ajv.addFormat('template', (text: string) => templateFault(text) === undefined)
ajv.addFormat('capture', isCapture)
ajv.addFormat('value-type', (text: string) => valueTypes.some((type) => type === text))
ajv.addFormat('path-or-template', (text: string) =>
  text.includes('{{') ? templateFault(text) === undefined : pathNames(text) !== undefined,
)

/** Where a part of an event is. */
function isPlace(text: string): boolean {
  if (text.startsWith('header:')) return httpToken.test(text.slice('header:'.length))
  return pathNames(text.startsWith('payload:') ? text.slice('payload:'.length) : text) !== undefined
}

/** A regular expression whose group `result` is what it finds. */
function isCapture(text: string): boolean {
  try {
    new RegExp(text, 'u')
    return text.includes('(?<result>')
  } catch {
    return false
  }
}

const compiled = new Map<object, ValidateFunction>()

/** Flaws of the file's outline: everything but the objects, which are complete only after `like`. */
export function checkOutline(value: unknown): Flaw[] {
  return flawsOf(ProviderFileOutline, value)
}

/** Flaws of one object, `like` resolved; its `incremental.read` and `search` are judged as what they make of `read`. */
export function checkObject(value: object): Flaw[] {
  const flaws = flawsOf(ProviderObject, value)
  if (flaws.length > 0) return flaws
  const { read, incremental, search } = value as ProviderObject
  // What depends on a read that is not there is a matter of meaning.
  if (read === undefined) return []
  return [...changedFlaws(read, ['incremental', 'read'], incremental?.read), ...changedFlaws(read, ['search'], search)]
}

/** Flaws of what changes make of `read`. */
function changedFlaws(read: Read, path: Flaw['path'], changes: object | undefined): Flaw[] {
  if (changes === undefined) return []
  return flawsOf(Read, mergeTree(read, changes)).map((flaw) => ({ ...flaw, path: [...path, ...flaw.path] }))
}

function flawsOf(schema: object, value: unknown): Flaw[] {
  const validate = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, validate)
  if (validate(value)) return []
  // `if` only says that `then` or `else` failed, which is said already.
  return (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if').map((error) => flawOf(error, value))
}

const formats: Record<string, string> = {
  path: "is no path; write names joined by dots, or $['a']['b']",
  place: 'is no path, `payload:` path or `header:` name',
  'value-type': `must be one of ${valueTypes.join(', ')}, or an object`,
  'path-or-template': 'is neither a path nor a template',
}

function flawOf(error: ErrorObject, whole: unknown): Flaw {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer)
  const params = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'additionalProperties':
      return { path: [...path, String(params['additionalProperty'])], message: 'is not a key of the format here' }
    case 'required':
      return { path, message: `needs the key "${String(params['missingProperty'])}"` }
    case 'enum':
      return { path, message: `must be one of ${(params['allowedValues'] as unknown[]).map(String).join(', ')}` }
    case 'discriminator':
      return { path: [...path, String(params['tag'])], message: 'names no shape that the format knows' }
    case 'format':
      return { path, message: formatFault(String(params['format']), path.reduce<unknown>(own, whole)) }
    default:
      return { path, message: error.message ?? 'does not fit the format' }
  }
}

/** A fault of a template is told with what is wrong with it. */
function formatFault(format: string, value: unknown): string {
  const inTemplate = typeof value === 'string' && format.includes('template') ? templateFault(value) : undefined
  return inTemplate ?? formats[format] ?? 'has another form than the format asks for'
}

function unescapePointer(text: string): string {
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}
