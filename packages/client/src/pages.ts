import type { CallOptions, Item, ListId } from './operation-types.ts'
import type { AnyInput } from './request.ts'

type Send = (id: ListId, input: AnyInput, options: CallOptions) => Promise<Response>
interface Results {
  results: unknown[]
  pagination?: { nextPageToken?: string }
}

/**
 * Yields every element of a list, whichever way it names its next page: in the body, or in a header if the body is an
 * array.
 */
export async function* iterate<Id extends ListId>(
  send: Send,
  id: Id,
  input: AnyInput = {},
  { pageSize = 200, ...options }: CallOptions & { pageSize?: number } = {},
): AsyncGenerator<Item<Id>> {
  let pageToken: string | undefined
  do {
    const query = { ...input.query, pageSize, ...(pageToken !== undefined && { pageToken }) }
    const answer = await send(id, { ...input, query }, options)
    const body = (await answer.json()) as unknown[] | Results
    yield* (Array.isArray(body) ? body : body.results) as Item<Id>[]
    pageToken = Array.isArray(body)
      ? (answer.headers.get('x-next-page-token') ?? undefined)
      : body.pagination?.nextPageToken
  } while (pageToken !== undefined)
}
