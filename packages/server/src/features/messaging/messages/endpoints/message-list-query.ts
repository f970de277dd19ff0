import { Type } from 'typebox'
import { firstIdAt } from '../../../../kernel/db/index.ts'
import { Enum, type Page, type PageInput, PageQuery, pageOf } from '../../../../kernel/http/index.ts'
import { messageKinds } from '../message-model.ts'

export const pageSizeDefault = 100

export const idFilter = (description: string) => Type.Optional(Type.String({ maxLength: 512, description }))
const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

/** Query parameters that lists of messages share. */
export const messageListQuery = {
  ...PageQuery,
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: `Items of one page at most; ${pageSizeDefault} when absent.`,
    }),
  ),
  kind: Type.Optional(Enum([...messageKinds], { description: 'What the messages bring.' })),
  groupRef: idFilter('Your id of the group that they come from.'),
  installationId: idFilter('Id of the installation that they come from.'),
  createdAfter: time('Posted at this time or later.'),
  createdBefore: time('Posted before this time.'),
}

interface TimeRange {
  createdAfter?: string
  createdBefore?: string
}

/**
 * Returns a page of a list, newest first. Ids have the time of their message, so a range of times is one of ids.
 *
 * @param list returns items from `from` on and below `below`, as far as these are given
 */
export function pageOfMessages<T extends { id: string }>(
  input: PageInput & { query: TimeRange },
  list: (range: { from: string | undefined; below: string | undefined }, limit: number) => Promise<T[]>,
): Promise<Page<T>> {
  const { createdAfter, createdBefore } = input.query
  const from = createdAfter === undefined ? undefined : firstIdAt(new Date(createdAfter))
  const end = createdBefore === undefined ? undefined : firstIdAt(new Date(createdBefore))
  return pageOf(input, {
    pageSizeDefault,
    keyOf: ({ id }) => id,
    list: ({ after, limit = pageSizeDefault }) => list({ from, below: lesser(after, end) }, limit),
  })
}

function lesser(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a < b ? a : b
}
