import type { ResultPaging } from '../../catalogue/format/paging.ts'
import { ProviderError } from '../../provider-error.ts'
import { compileMatch } from '../match.ts'
import type { PageState } from '../page-token.ts'
import { compilePath, type PathReader, scalarText } from '../path.ts'
import { nextText, type Pager, type PendingAnswer, stuck } from './pager.ts'
import type { ResultState } from './result-state.ts'

const everySecondsDefault = 2
const hoursDefault = 24
/** Waits grow with the time that a result has been waited for: a fifth of it, and a minute at most. */
const waitShare = 5
const growingMaxMs = 60_000

/**
 * The first request starts a query, and others ask for its result by id until it is there, then for the rest of it. A
 * result of another number of rows than it should have is an error.
 */
export function resultPager(paging: ResultPaging): Pager {
  const begun = compileBegin(paging)
  const cursorIn = paging.next === undefined ? undefined : nextText(paging.next)
  const partsIn = paging.parts === undefined ? undefined : compilePath(paging.parts)
  const countIn = paging.count === undefined ? undefined : compilePath(paging.count)
  const { status, when } = paging.pending
  const isPending = compileMatch(when)
  const everyMs = (paging.everySeconds ?? everySecondsDefault) * 1000
  const maxMs = (paging.maxHours ?? hoursDefault) * 3_600_000

  function pending(
    { response, waitMs, tookMs }: PendingAnswer,
    state: PageState,
  ): { next: PageState; waitMs: number } | undefined {
    if (status !== undefined && response.status !== status) return undefined
    if (response.json === undefined || !isPending(response.json)) return undefined
    const result = state.result ?? begun(response.json)
    const waited = (result.waitedMs ?? 0) + tookMs
    const wait = Math.max(everyMs, waitMs, Math.min(Math.floor(waited / waitShare), growingMaxMs))
    const waitedMs = waited + wait
    if (waitedMs > maxMs)
      throw new ProviderError('cursor_gone', `The result is not there after ${maxMs / 3_600_000} hours.`)
    return { next: { ...state, result: { ...result, waitedMs } }, waitMs: wait }
  }

  return {
    variables: ({ result, cursor }) => ({
      cursor,
      ...(result && { result: { ...result.values, id: result.id, part: result.part } }),
    }),
    pending,
    next({ json, records, columns }, state) {
      const known = state.result
      const seen = (known?.seen ?? 0) + records.length
      const count = known?.count ?? numberAt(countIn, json)
      if (countIn !== undefined && count === undefined) throw unexpected('The response has no number of rows.')
      const part = known?.part ?? 0
      const parts = known?.parts ?? partsAt(partsIn, json)
      const cursor = cursorIn?.(json)
      if (cursor !== undefined && cursor === state.cursor) throw stuck()
      const isLast = cursor === undefined && part + 1 >= parts
      if (count !== undefined && (isLast ? seen !== count : seen > count))
        throw unexpected(`The result should have ${count} rows, and ${seen} arrived.`)
      if (isLast) return undefined
      const { id, values } = known ?? begun(json)
      const result: ResultState = {
        id,
        values,
        seen,
        ...(count !== undefined && { count }),
        ...(partsIn !== undefined && { part: part + 1, parts }),
        ...(partsIn !== undefined && columns && { columns }),
      }
      return { result, ...(cursor !== undefined && { cursor }) }
    },
  }
}

function compileBegin({ id, keep = {} }: ResultPaging): (json: unknown) => ResultState {
  const idIn = compilePath(id)
  const kept = Object.entries(keep).map(([name, path]) => [name, compilePath(path)] as const)
  return (json) => {
    const found = scalarText(idIn(json))
    if (found === undefined || found === '') throw unexpected(`The response has no id of the result ("${id}").`)
    const values = kept.flatMap(([name, read]) => {
      const value = scalarText(read(json))
      return value === undefined || value === '' ? [] : [[name, value] as const]
    })
    return { id: found, values: Object.fromEntries(values) }
  }
}

/** Parts of a result: the length of a list, or a number. A result without them would be cut. */
function partsAt(read: PathReader | undefined, json: unknown): number {
  if (read === undefined) return 1
  const found = read(json)
  const parts = Array.isArray(found) ? found.length : numberAt(read, json)
  if (parts === undefined) throw unexpected('The response does not say how many parts the result has.')
  return parts
}

function numberAt(read: PathReader | undefined, json: unknown): number | undefined {
  const text = scalarText(read?.(json))
  const number = text === undefined || text.trim() === '' ? Number.NaN : Number(text)
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

function unexpected(message: string): ProviderError {
  return new ProviderError('unexpected_response', message)
}
