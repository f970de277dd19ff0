import { createHash } from 'node:crypto'
import type { FieldSource, LiveFields } from '../../catalogue/format/field-sources.ts'
import { isReadObject, type ProviderObject } from '../../catalogue/format/provider-file.ts'
import type { Window } from '../../catalogue/format/window.ts'
import type { FieldMetadata, ObjectMetadata, ValueType } from '../../connector.ts'
import { ProviderError } from '../../provider-error.ts'
import { completeRecords } from '../complete-records.ts'
import { fetchFanOut } from '../fan-out.ts'
import { windowVariables } from '../incremental.ts'
import { compileListing, fetchAll, fetchPage } from '../listing.ts'
import { mapConcurrently } from '../map-concurrently.ts'
import { compileMatch, fillMatch } from '../match.ts'
import { planOf } from '../object-plan.ts'
import { compilePath, isObject, scalarText } from '../path.ts'
import { compileRequest, type Scope, textOf } from '../request.ts'
import { scopeOf } from '../scope.ts'
import { stepMs, windowPart } from '../stepped-window.ts'
import type { Variables } from '../template.ts'
import type { Asking } from './asking.ts'
import { compileChoices } from './choices.ts'
import { compileFurtherChoices } from './further-choices.ts'
import { compileLiveField, takesValues } from './live.ts'

/** Lists requested for one description, by request: sources that read the same list share one request. */
type Listed = Map<string, Promise<unknown[]>>

type Fields = Map<string, FieldMetadata>

/** All sources of the object's fields in their order, each completing what came before. @throws ProviderError */
export async function describeObject(
  name: string,
  object: ProviderObject,
  given: Omit<Asking, 'labelled'>,
): Promise<ObjectMetadata> {
  const fields: Fields = new Map()
  const listed: Listed = new Map()
  let incomplete = false
  let label: string | undefined
  const asking: Asking = {
    ...given,
    labelled(text) {
      label ??= text
    },
  }
  for (const source of object.fields ?? fallback(object)) {
    const optional = 'optional' in source ? source.optional : false
    const asked = await unlessRefused(optional, () => addFrom(source, name, object, { ...asking, listed }, fields))
    if (!asked || source.source === 'sample') incomplete = true
  }
  // Nothing says what can be written.
  if (object.fields === undefined) incomplete = true
  for (const [field, { match }] of Object.entries(object.read?.associations ?? {})) {
    if (match === undefined && !fields.has(field))
      fields.set(field, { fieldName: field, displayName: field, valueType: 'other', readOnly: true })
  }
  return {
    name,
    displayName: object.displayName ?? label ?? name,
    // Names are the provider's: `__proto__` may be one, so they are defined, never assigned.
    fields: Object.fromEntries(fields),
    ...(incomplete && { incomplete }),
    declaration: declarationOf(object),
  }
}

/** Without any source, a record shows which fields exist, if there is one. */
function fallback(object: ProviderObject): FieldSource[] {
  return isReadObject(object) ? [{ source: 'sample' }] : []
}

const declarations = new WeakMap<ProviderObject, string>()

/** A digest of everything except the provider that decides which fields are returned. */
function declarationOf(object: ProviderObject): string {
  const known = declarations.get(object)
  if (known !== undefined) return known
  const { fields, set, read } = object
  const linked = read?.associations && { associations: Object.keys(read.associations) }
  const text = JSON.stringify([fields ?? read?.path ?? [], set ?? {}, read?.flatten ?? [], ...(linked ? [linked] : [])])
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  declarations.set(object, digest)
  return digest
}

/**
 * An optional source that this credential may not request, or that does not exist, adds nothing. An always optional
 * source that fails adds nothing either. Returns whether the source was requested.
 */
async function unlessRefused(optional: boolean | 'always' | undefined, add: () => Promise<void>): Promise<boolean> {
  try {
    await add()
    return true
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const refused = error.class === 'forbidden' || error.class === 'not_found'
    if (optional !== 'always' && (optional !== true || !refused)) throw error
    return false
  }
}

/** Whether a listed field fits, or fits one of several. */
function anyMatch(only: LiveFields['only'], variables: Variables): (listed: unknown) => boolean {
  const tests = (Array.isArray(only) ? only : [only]).map((match) => compileMatch(fillMatch(match, variables)))
  return (listed) => tests.some((fits) => fits(listed))
}

async function addFrom(
  source: FieldSource,
  objectName: string,
  object: ProviderObject,
  asking: Asking & { listed: Listed },
  fields: Fields,
): Promise<void> {
  const { session, base, scope, signal } = asking
  switch (source.source) {
    case 'static':
      for (const [name, declared] of Object.entries(source.fields)) {
        const { values, ...rest } = typeof declared === 'string' ? { valueType: declared } : declared
        const field: FieldMetadata = { fieldName: name, displayName: name, ...fields.get(name), ...rest }
        if (values !== undefined) {
          field.values = values.map(({ value, displayValue }) => ({ value, displayValue: displayValue ?? value }))
        }
        fields.set(name, field)
      }
      return
    case 'live': {
      const describe = compileLiveField(source)
      const fits = anyMatch(source.only, textOf(scope))
      const further = compileFurtherChoices(source.choices ?? [], textOf(scope))
      const wanted = (await listedFields(source, asking)).filter(fits)
      const found = await mapConcurrently(wanted, async (listed) => {
        const field = describe(listed)
        return field && further(field, listed, asking)
      })
      if (source.neverEmpty === true && found.every((field) => field === undefined))
        throw new ProviderError('unexpected_response', 'The response lists no field of the object.')
      for (const field of found) {
        if (field !== undefined) fields.set(field.fieldName, { ...fields.get(field.fieldName), ...field })
      }
      return
    }
    case 'required': {
      const { json } = await session.send(compileRequest(source), base, scope, signal)
      const names = compilePath(source.names)(json)
      const required = new Set(Array.isArray(names) ? names : [])
      for (const field of fields.values()) field.isRequired = required.has(field.fieldName)
      return
    }
    case 'choices': {
      const records = await fetchAll(session, base, compileListing(source, textOf(scope)), scope, signal, {
        absentIsEmpty: true,
      })
      for (const [name, values] of compileChoices(source)(records)) {
        const field = fields.get(name)
        if (field !== undefined && takesValues(field.valueType) && values.length > 0) field.values = values
      }
      return
    }
    case 'sample':
      for (const [name, value] of await sampleFields(objectName, object, asking, source)) {
        const valueType = source.infer === true ? inferredType(value) : 'other'
        if (!fields.has(name)) fields.set(name, { fieldName: name, displayName: name, valueType })
      }
  }
}

/** The provider's list of fields. A keyed list becomes items that carry their key as `$key`. */
async function listedFields(
  source: Extract<FieldSource, { source: 'live' }>,
  { session, base, scope, signal, labelled, listed }: Asking & { listed: Listed },
): Promise<unknown[]> {
  const { only: _, ...list } = source
  const listing = compileListing(list, textOf(scope))
  const labelIn = source.objectDisplayName === undefined ? undefined : compilePath(source.objectDisplayName)
  const seen = (json: unknown) => {
    const label = scalarText(labelIn?.(json))
    if (label !== undefined && label !== '') labelled(label)
  }
  if (source.keyed !== true) {
    const { path, query, body, records, paging } = source
    const key = JSON.stringify([path, query, body, records, paging])
    const asked = listed.get(key) ?? fetchAll(session, base, listing, scope, signal, { seen })
    listed.set(key, asked)
    return asked
  }
  const { json, status } = await session.send(listing.request, base, scope, signal)
  seen(json)
  const found = listing.records(json)
  if (isObject(found)) {
    return Object.entries(found).map(([key, value]) => ({ ...(isObject(value) ? value : {}), $key: key }))
  }
  // PHP writes an empty object as an empty list.
  if (Array.isArray(found)) return []
  if (found === undefined && source.optional !== undefined && source.optional !== false)
    throw new ProviderError('not_found', `The response has no "${listing.recordsPath}".`, { status })
  throw new ProviderError(
    'unexpected_response',
    `"${listing.recordsPath}" of the response is not an object of fields.`,
    {
      status,
    },
  )
}

/** The fields of the first record with their values; of one list per parent, those of the first parent that has any. */
async function sampleFields(
  name: string,
  object: ProviderObject,
  { session, base, scope: scopeOfObject, signal, now }: Asking,
  { infer, whole }: Partial<Extract<FieldSource, { source: 'sample' }>>,
): Promise<[string, unknown][]> {
  if (!isReadObject(object)) return []
  const { read } = object
  const scope = scopeOf(recentTimes(object.incremental ?? {}, scopeOfObject, now()), scopeOfObject)
  const listing = compileListing(read, textOf(scope))
  const wanted = { session, base, scope, signal, listing }
  const { records } =
    read.each === undefined
      ? await fetchPage(session, base, listing, scope, { state: {}, signal, ...(infer === true && { pageSize: 1 }) })
      : await fetchFanOut(
          { ...wanted, plan: planOf(object, name), parentCache: {}, filter: undefined, pageSize: 1 },
          {},
        )
  const completed = whole === true ? { ...object, read: { ...read, getEach: true } } : object
  const completion = { session, base, object: completed, plan: planOf(object, name), scope, signal }
  const [sample] = await completeRecords(completion, records.slice(0, 1))
  if (!isObject(sample)) return []
  const flatten = read.flatten ?? []
  const inside = flatten.flatMap((path) => Object.entries(asObject(compilePath(path)(sample))))
  return [...inside, ...Object.entries(sample).filter(([key]) => !flatten.includes(key))]
}

/** The newest part of the window, for a list that the provider refuses without one. */
function recentTimes(window: Window, scope: Scope, now: number): Record<string, string> {
  const { history, stepDays = Infinity } = window
  if (history === undefined) return {}
  const days = Math.min(stepDays, typeof history === 'number' ? history : Infinity)
  const begin = days === Infinity ? undefined : new Date(now - stepMs(window, days))
  const part = windowPart(window, begin, undefined, undefined, now)
  return windowVariables(part.window, part.since, part.until, textOf(scope))
}

function inferredType(value: unknown): ValueType {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
      return 'float'
    case 'boolean':
      return 'boolean'
    default:
      return 'other'
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}
