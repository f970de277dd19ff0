import type { ProviderObject, ReadObject } from '../../catalogue/format/provider-file.ts'
import type { ReadPageRequest } from '../../connector.ts'
import { asksFor } from '../associations.ts'
import { deletionMark, withDeletedRecords } from '../deleted-records.ts'
import { windowFilter, windowVariables } from '../incremental.ts'
import type { Matcher } from '../match.ts'
import { planOf } from '../object-plan.ts'
import type { Reader } from '../record-reader.ts'
import { lower, nameToAskFor, withoutTwins } from '../requested-names.ts'
import { type Scope, scopeOf, textOf } from '../scope.ts'
import { type Step, type WindowPart, windowPart } from '../stepped-window.ts'
import { type CompiledJob, rowConverter } from './compile-job.ts'

export interface JobSource {
  /** The variables of an object. */
  scopeFor: (name: string, object: ProviderObject) => Scope
  reader: Reader
  now: () => number
}

/** A job for one read. */
export interface PreparedJob {
  object: ReadObject
  job: CompiledJob
  scope: Scope
  isDeleted: Matcher | undefined
  /** The rows of a result as records of the list; those outside the window are dropped. */
  typed: (rows: readonly Record<string, unknown>[]) => readonly unknown[]
  /** The part of the window that the job reads, and the one that follows. */
  step: Step | undefined
  following: Step | undefined
}

/**
 * The job of a read with its variables; undefined where it has none that does the same as the list. A job in place of a
 * list reads the whole window, one without a list a part of it.
 *
 * @param step from the token of the page; undefined for the first page
 */
export async function prepareJob(
  source: JobSource,
  request: ReadPageRequest,
  declared: ReadObject,
  step?: Step,
): Promise<PreparedJob | undefined> {
  const { reader, scopeFor } = source
  const { object: name, fields, since, until, filters = [], signal } = request
  // A separate list of them follows the job.
  const wantsDeletions = request.deletions === true && since !== undefined && declared.deletions?.when !== undefined
  if (wantsDeletions && declared.deletions?.job === undefined) return undefined
  const object = wantsDeletions ? withDeletedRecords(declared) : declared
  const plan = planOf(object, name)
  const { job } = plan
  if (job === undefined || asksFor(plan.associations, fields).associations !== undefined) return undefined
  // A job has room for all of them.
  const { first, others } = await reader.fieldsToAskFor(name, object, fields, signal)
  const asked = withoutTwins([...first, ...others.flat()])
  const typeOf = job.needsTypes ? await typesOf(reader, name, object, signal) : new Map<string, string>()
  const excepted = (field: string) => job.exceptTypes.has(typeOf.get(lower(field)) ?? '')
  const listed = fields === 'all' && asked.length === 0 ? [...typeOf.keys()] : asked
  if (listed.some(excepted)) return undefined
  const own = scopeFor(name, object)
  const window = object.incremental ?? {}
  const { flatten = [] } = object.read
  const applied = filters.map((filter) => ({ ...filter, field: nameToAskFor(filter.field, flatten) }))
  const part: WindowPart = job.always ? windowPart(window, since, until, step, source.now()) : { window, since, until }
  const times = windowVariables(part.window, part.since, part.until, textOf(own))
  const scope = scopeOf({ ...times, fields: asked, ...(applied.length > 0 && { filters: applied }) }, own)
  const inWindow = windowFilter(window, since, until)
  const convert = rowConverter(job.results, typeOf)
  return {
    object,
    job,
    scope,
    step: part.step,
    following: part.following,
    isDeleted: wantsDeletions ? deletionMark(object) : undefined,
    typed(rows) {
      const records = rows.map(convert)
      return inWindow ? inWindow(records).kept : records
    },
  }
}

async function typesOf(reader: Reader, name: string, object: ReadObject, signal: AbortSignal | undefined) {
  const fields = await reader.allFields(name, object, signal)
  return new Map(fields.map(({ fieldName, providerType = '' }) => [lower(fieldName), providerType]))
}
