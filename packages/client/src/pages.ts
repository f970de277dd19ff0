import type { CallOptions, Item, ListId } from './operation-types.ts'
import type { AnyInput } from './request.ts'

type Send = (id: ListId, input: AnyInput, options: CallOptions) => Promise<Response>
interface Results {
  results: unknown[]
  pagination?: { nextPageToken?: string }
}

/** One page of a list. */
export interface ListPage<Id extends ListId> {
  items: Item<Id>[]
  /** Where the next page begins; undefined on the last one. */
  nextPageToken: string | undefined
}

/** Requests one page, whichever way the list names the next: in the body, or in a header if the body is an array. */
export async function requestPage<Id extends ListId>(
  send: Send,
  id: Id,
  input: AnyInput = {},
  { pageSize = 200, pageToken, ...options }: CallOptions & { pageSize?: number; pageToken?: string | undefined } = {},
): Promise<ListPage<Id>> {
  const query = { ...input.query, pageSize, ...(pageToken !== undefined && { pageToken }) }
  const answer = await send(id, { ...input, query }, options)
  const body = (await answer.json()) as unknown[] | Results
  if (!Array.isArray(body))
    return { items: body.results as Item<Id>[], nextPageToken: body.pagination?.nextPageToken || undefined }
  return { items: body as Item<Id>[], nextPageToken: answer.headers.get('x-next-page-token') ?? undefined }
}

/** Yields every element of a list, page by page. */
export async function* iterate<Id extends ListId>(
  send: Send,
  id: Id,
  input: AnyInput = {},
  options: CallOptions & { pageSize?: number } = {},
): AsyncGenerator<Item<Id>> {
  let pageToken: string | undefined
  do {
    const page: ListPage<Id> = await requestPage(send, id, input, { ...options, pageToken })
    yield* page.items
    pageToken = page.nextPageToken
  } while (pageToken !== undefined)
}
