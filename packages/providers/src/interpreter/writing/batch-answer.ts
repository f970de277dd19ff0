import type { BatchAnswer } from '../../catalogue/format/write.ts'
import type { BatchRecordResult, BatchWriteItem, BatchWriteResult, WriteRefusal } from '../../connector.ts'
import { compileMatch } from '../match.ts'
import { compilePath, isObject, scalarText } from '../path.ts'
import { compileRefusals, compileText, firstRefusals } from '../refusals.ts'
import { asList } from './answer.ts'

export interface BatchReading {
  items: readonly BatchWriteItem[]
  /** Makes a provider's text fit to be shown. */
  safe: (text: string) => string
  /** Whether only an answer with one result for each record counts: lists in a refusal may be something else. */
  complete: boolean
}

/** What became of each record of a batch; `undefined` when the answer does not say. */
export type BatchReader = (
  json: unknown,
  reading: BatchReading,
) => (BatchWriteResult & { isUnproven: boolean }) | undefined

/** What the provider left unsaid counts as not written: the caller looks, instead of losing it. */
const noResult = 'The provider did not report the result of this record.'
const unexplained = 'The provider refused the record.'

export function compileBatchAnswer(answer: BatchAnswer): BatchReader {
  const resultsOf = compilePath(answer.results)
  const readOne = compileResult(answer)
  const failuresOf = compileFailures(answer.failures)
  const isDeclared = [answer.success, answer.refusals, answer.failures].some((part) => part !== undefined)

  return (json, { items, safe, complete }) => {
    const listed = resultsOf(json)
    if (!Array.isArray(listed) || (complete && listed.length !== items.length)) return undefined
    const results: (BatchRecordResult | undefined)[] = items.map(() => undefined)
    const errors: WriteRefusal[] = []
    const byId = new Map(items.flatMap(({ id }, index) => (id === undefined ? [] : [[id, index] as const])))
    const positions = (indexes: readonly string[], ids: readonly string[]) =>
      [...indexes.map(Number), ...ids.map((id) => byId.get(id) ?? -1)].filter((at) => Object.hasOwn(items, at))

    for (const { message = unexplained, indexes, ids } of failuresOf(json)) {
      const error = { message: safe(message) }
      errors.push(error)
      for (const at of positions(indexes, ids)) {
        const known = results[at]
        results[at] = failed(items[at], [...(known?.errors ?? []), error])
      }
    }

    const found = (listed as unknown[]).map((item) => readOne(item, safe))
    const unplaced = place(found, items, results, positions)
    const isUnproven = !isDeclared && [...results, ...unplaced].some((read) => read?.success && !read.recordId)
    // In order, but only where their number leaves no doubt.
    const free = results.flatMap((result, at) => (result === undefined ? [at] : []))
    if (free.length === unplaced.length) for (const [order, at] of free.entries()) results[at] = unplaced[order]
    const known = results.map((result, at) => withId(result ?? failed(items[at], [{ message: noResult }]), items[at]))
    return { ...batchResult(known, errors), isUnproven }
  }
}

type Positions = (indexes: readonly string[], ids: readonly string[]) => number[]

/**
 * Puts each result at the position of its record, and returns those that no number and no id places, in order.
 *
 * The id in an error may be that of another record, such as one with the same email. So successes come first, and
 * errors take the position that they have in a complete list, unless the ids of successes say that it has another
 * order.
 */
function place(
  found: readonly (BatchRecordResult & { index?: string })[],
  items: readonly BatchWriteItem[],
  results: (BatchRecordResult | undefined)[],
  positions: Positions,
): BatchRecordResult[] {
  const placeOf = found.map(({ index, recordId }) => {
    const [at] = positions(index === undefined ? [] : [index], recordId === undefined ? [] : [recordId])
    return at
  })
  const isInOrder =
    found.length === items.length &&
    found.every(({ index, success }, order) => {
      const at = placeOf[order]
      return index === undefined && (!success || at === undefined || at === order)
    })
  const unplaced: [order: number, read: BatchRecordResult][] = []
  for (const wanted of [true, false])
    for (const [order, { index, ...read }] of found.entries()) {
      if (read.success !== wanted) continue
      const at = !wanted && isInOrder ? order : placeOf[order]
      const known = at === undefined ? undefined : results[at]
      if (at === undefined || (!wanted && known?.success === true)) unplaced.push([order, read])
      else if (known === undefined) results[at] = read
    }
  return unplaced.sort(([one], [other]) => one - other).map(([, read]) => read)
}

/** A batch of which nothing was written, whatever the reason. */
export function refusedBatch(count: number, errors: readonly WriteRefusal[]): BatchWriteResult {
  return { status: 'failure', successCount: 0, failureCount: count, results: [], errors: [...errors] }
}

function batchResult(results: BatchRecordResult[], errors: WriteRefusal[]): BatchWriteResult {
  const successCount = results.filter(({ success }) => success).length
  const failureCount = results.length - successCount
  const status = failureCount === 0 ? 'success' : successCount === 0 ? 'failure' : 'partial'
  return { status, successCount, failureCount, results, errors }
}

function compileResult(answer: BatchAnswer) {
  const indexOf = answer.index === undefined ? undefined : compilePath(answer.index)
  const idOf = compilePath(answer.id ?? 'id')
  const dataOf = compilePath(answer.data ?? '')
  const succeeded = compileMatch(answer.success)
  const refusalsAt = answer.refusals === undefined ? undefined : compilePath(answer.refusals.list)
  const refusalsIn = compileRefusals({ ...answer.refusals, list: '' })
  // Without a list in it, the result itself is what may be an error.
  const isWhole = answer.refusals?.list === ''
  const anyRefusals = firstRefusals([])
  return (item: unknown, safe: (text: string) => string): BatchRecordResult & { index?: string } => {
    const refusals = refusalsAt === undefined ? [] : refusalsIn(isWhole ? [item] : asList(refusalsAt(item)))
    const success = refusals.length === 0 && succeeded(item)
    const recordId = scalarText(idOf(item))
    const index = scalarText(indexOf?.(item))
    const position = { ...(index !== undefined && { index }), ...(recordId && { recordId }) }
    if (!success) {
      const texts = refusals.length > 0 ? refusals : anyRefusals(asList(item))
      return {
        success,
        ...position,
        errors: (texts.length > 0 ? texts : [unexplained]).map((text) => ({ message: safe(text) })),
      }
    }
    const data = dataOf(item)
    return { success, ...position, ...(isObject(data) && { data }) }
  }
}

interface Failure {
  message: string | undefined
  indexes: string[]
  ids: string[]
}

function compileFailures(declared: BatchAnswer['failures']): (json: unknown) => Failure[] {
  if (declared === undefined) return () => []
  const listOf = compilePath(declared.list)
  const isError = compileMatch(declared.when)
  const textOf = compileText(declared.message ?? ['message'])
  const texts = (path: string | undefined) => {
    const read = path === undefined ? undefined : compilePath(path)
    return (item: unknown): string[] => {
      const found = read?.(item)
      return (Array.isArray(found) ? found : [found]).flatMap((one: unknown) => scalarText(one) ?? [])
    }
  }
  const indexesOf = texts(declared.index)
  const idsOf = texts(declared.ids)
  return (json) => {
    const list = listOf(json)
    if (!Array.isArray(list)) return []
    return list
      .filter(isError)
      .map((item: unknown) => ({ message: textOf(item), indexes: indexesOf(item), ids: idsOf(item) }))
  }
}

function failed(item: BatchWriteItem | undefined, errors: WriteRefusal[]): BatchRecordResult {
  return { success: false, ...(item?.id !== undefined && { recordId: item.id }), errors }
}

/** The id of an update is known without the answer. The one in an error may be that of another record. */
function withId(result: BatchRecordResult, item: BatchWriteItem | undefined): BatchRecordResult {
  if (item?.id === undefined || (result.success && result.recordId !== undefined)) return result
  return { ...result, recordId: item.id }
}
