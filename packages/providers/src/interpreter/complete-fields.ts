import { ProviderError } from '../provider-error.ts'
import type { FieldParts } from './field-parts.ts'
import { fetchPage } from './listing.ts'
import { mapConcurrently } from './map-concurrently.ts'
import type { Matcher } from './match.ts'
import type { ObjectPlan } from './object-plan.ts'
import { isObject, scalarText } from './path.ts'
import { type Scope, scopeOf } from './scope.ts'
import type { Session } from './session.ts'

type Raw = Record<string, unknown>

export interface FieldCompletion {
  session: Session
  base: URL
  plan: ObjectPlan
  scope: Scope
  parts: FieldParts
  signal: AbortSignal | undefined
  /** Whether a record is one that the provider reports as deleted. It cannot be requested. */
  isDeleted?: Matcher | undefined
}

/** How often a record is read that changes between the requests of its parts. */
const attemptsMax = 3

/**
 * Returns the records with the fields of the other parts, which it requests by their ids. All parts of a record are of
 * one version: a record that changed between the requests is read again. One that was deleted meanwhile is left out.
 *
 * @throws ProviderError, `provider_5xx` for a record that changes faster than it can be read
 */
export async function completeFields(
  completion: FieldCompletion,
  records: readonly unknown[],
): Promise<readonly unknown[]> {
  const { plan, parts, isDeleted } = completion
  if (parts.others.length === 0 || plan.otherFields === undefined) return records
  const { id: idOf } = plan.otherFields
  const listed: { id: string; raw: Raw }[] = []
  for (const raw of records) {
    if (!isObject(raw) || isDeleted?.(raw) === true) continue
    const id = scalarText(idOf(raw))
    if (id === undefined)
      throw new ProviderError('unexpected_response', 'A record has no id to request its other fields by.')
    listed.push({ id, raw })
  }
  const whole = new Map<unknown, Raw>()
  let pending = listed
  for (let attempt = 0; pending.length > 0; attempt++) {
    if (attempt === attemptsMax)
      throw new ProviderError('provider_5xx', 'A record changes while the parts of its fields are read.')
    const isFirst = attempt === 0
    // Records of several parents may have the same id.
    const ids = [...new Set(pending.map(({ id }) => id))]
    const read = await readParts(completion, ids, isFirst ? parts.others : [parts.first, ...parts.others])
    pending = pending.filter(({ id, raw }) => {
      const found = read.map((byId) => byId.get(id))
      const present = found.filter((part) => part !== undefined)
      const isGone = present.length < found.length
      if (!isGone && !isOneVersion(completion, isFirst ? [raw, ...present] : present)) return true
      if (!isGone) whole.set(raw, [raw, ...present].reduce(joined))
      return false
    })
  }
  return records.flatMap((raw) => {
    if (!isObject(raw) || isDeleted?.(raw) === true) return [raw]
    return whole.get(raw) ?? []
  })
}

/** The records of each part, by their ids. */
async function readParts(
  { session, base, plan, scope, signal }: FieldCompletion,
  ids: readonly string[],
  parts: readonly string[][],
): Promise<Map<string, Raw>[]> {
  const { listing, max, id: idOf } = plan.otherFields as NonNullable<ObjectPlan['otherFields']>
  const found = parts.map(() => new Map<string, Raw>())
  const requests = parts.flatMap((fields, part) => chunks(ids, max).map((some) => ({ fields, part, some })))
  await mapConcurrently(requests, async ({ fields, part, some }) => {
    const { records } = await fetchPage(session, base, listing, scopeOf({ ids: some, fields }, scope), {
      state: {},
      pageSize: max,
      signal,
    })
    for (const record of records) {
      // Some providers write null in the position of a deleted record.
      const id = isObject(record) ? scalarText(idOf(record)) : undefined
      if (id !== undefined) found[part]?.set(id, record as Raw)
    }
  })
  return found
}

/** @throws ProviderError if the version that the file declares is not in a part */
function isOneVersion({ plan: { version } }: FieldCompletion, parts: readonly Raw[]): boolean {
  if (version === undefined) return true
  const versions = parts.map((raw) => {
    const found = scalarText(version(raw))
    if (found === undefined)
      throw new ProviderError('unexpected_response', 'A record does not have the version that the file declares.')
    return found
  })
  return new Set(versions).size <= 1
}

/** Both parts as one record; an object that both have is joined, too. */
function joined(one: Raw, other: Raw): Raw {
  const both = new Map(Object.entries(one))
  for (const [key, value] of Object.entries(other)) {
    const before = both.get(key)
    both.set(key, isObject(before) && isObject(value) ? joined(before, value) : value)
  }
  return Object.fromEntries(both)
}

function chunks(ids: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size))
}
