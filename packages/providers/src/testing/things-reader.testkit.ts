import type { Connector, ProviderRecord, ReadPageRequest } from '../connector.ts'
import { createConnector } from '../index.ts'
import { plainHttp, type SeenRequest, startServer } from './http-server.testkit.ts'
import { thingsProvider } from './provider.testkit.ts'

/** What the server of a test answers. */
export type Answers = (request: SeenRequest) => { status?: number; body: unknown }

/** Reads `things` of a server that the test answers for. `object` is YAML at the object's depth. */
export async function connected(
  object: string,
  answers: Answers,
  use: (connector: Connector, seen: SeenRequest[]) => unknown,
  rest = '',
) {
  const seen: SeenRequest[] = []
  await using server = await startServer((request) => {
    seen.push(request)
    return answers(request)
  })
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'key' } } as const
  await use(createConnector(thingsProvider(object, rest), connection, plainHttp(fetch)), seen)
}

/** Reads every page of `things`. */
export async function readAll(
  connector: Connector,
  request: Partial<ReadPageRequest> = {},
): Promise<ProviderRecord[][]> {
  const pages: ProviderRecord[][] = []
  let page: string | undefined
  do {
    const found = await connector.readPage({ object: 'things', fields: 'all', ...request, ...(page && { page }) })
    pages.push(found.records)
    page = found.nextPage
  } while (page !== undefined)
  return pages
}

/** Ids of the records, by page. */
export const ids = (pages: ProviderRecord[][]) => pages.map((records) => records.map(({ id }) => id))
