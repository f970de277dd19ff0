import { follow, type StreamEvent } from './event-stream.ts'
import { operationTable } from './generated/operations.ts'
import type { Arguments, CallOptions, Item, ListId, OperationId, Output } from './operation-types.ts'
import type { ClientOptions } from './options.ts'
import { iterate, type ListPage, requestPage } from './pages.ts'
import type { AnyInput } from './request.ts'
import { bodyOf, createSend } from './send.ts'

type Calls = { [Id in OperationId]: (...args: Arguments<Id>) => Promise<Output<Id>> }

/** One method for each operation of the API, named by its operationId. */
export type Client = Calls & {
  /**
   * Yields every element of a list, page by page, and requests the next page when it is needed.
   *
   * @param pageSize elements of one page
   * @throws MortiseProblem, MortiseUnreachable
   */
  each<Id extends ListId>(
    id: Id,
    input?: Partial<Parameters<Calls[Id]>[0]>,
    options?: CallOptions & { pageSize?: number },
  ): AsyncIterable<Item<Id>>
  /**
   * Requests one page of a list.
   *
   * @param pageToken `nextPageToken` of the page before, with the same filters
   * @throws MortiseProblem, MortiseUnreachable
   */
  page<Id extends ListId>(
    id: Id,
    input?: Partial<Parameters<Calls[Id]>[0]>,
    options?: CallOptions & { pageSize?: number; pageToken?: string | undefined },
  ): Promise<ListPage<Id>>
  /**
   * Yields the events of a stream for as long as it is iterated. After an interruption, it connects again and resumes
   * after the last event.
   *
   * @throws MortiseProblem when the service refuses the stream
   */
  follow<Id extends OperationId>(
    id: Id,
    input?: Partial<Parameters<Calls[Id]>[0]>,
    options?: CallOptions & { lastEventId?: string },
  ): AsyncIterable<StreamEvent>
}

/**
 * A client of one service. Every method answers the body of a 2xx answer, and throws `MortiseProblem` for any other and
 * `MortiseUnreachable` when none came.
 */
export function createClient(options: ClientOptions): Client {
  const send = createSend(options, operationTable)
  const special = {
    each: (id: ListId, input?: AnyInput, call?: CallOptions & { pageSize?: number }) => iterate(send, id, input, call),
    page: (id: ListId, input?: AnyInput, call?: CallOptions & { pageSize?: number; pageToken?: string | undefined }) =>
      requestPage(send, id, input, call),
    follow: (id: OperationId, input?: AnyInput, call?: CallOptions & { lastEventId?: string }) =>
      follow(send, id, input, call),
  }
  const calls = Object.keys(operationTable).map((id) => [
    id,
    async (input?: AnyInput, call?: CallOptions) => bodyOf(await send(id as OperationId, input, call)),
  ])
  return { ...Object.fromEntries(calls), ...special } as Client
}
