import { readFile } from 'node:fs/promises'
import {
  type ConnectionContext,
  type Connector,
  createConnector,
  type ProviderEntry,
  type ProviderRecord,
  proxyBase,
  type ReadPageRequest,
} from '../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from './http-server.testkit.ts'
import { entryOf } from './provider.testkit.ts'

interface Opened extends AsyncDisposable {
  connector: Connector
  entry: ProviderEntry
  /** Requests so far, in order. */
  seen: SeenRequest[]
}

interface Times {
  now?: () => number
  /** Waits, as for the result of a query. Default: by the system's clock. */
  pause?: (ms: number) => Promise<void>
}

/** A connector of a built-in provider whose requests reach a server of the test instead of the provider's host. */
export async function openProvider(
  name: string,
  answer: (request: SeenRequest) => Answer,
  { now, pause, ...given }: Partial<ConnectionContext> & Times = {},
): Promise<Opened> {
  const entry = entryOf(await readFile(new URL(`../../providers/${name}.yaml`, import.meta.url), 'utf8'))
  const server = await startServer(answer)
  const connection = { metadata: {}, credential: { scheme: 'oauth2', accessToken: 't1' } as const, ...given }
  const http = plainHttp(fetch, { from: proxyBase(entry, connection).origin, to: server.origin })
  return {
    connector: createConnector(entry, connection, http, { ...(now && { now }), ...(pause && { pause }) }),
    entry,
    seen: server.seen,
    [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
  }
}

/** What was asked for, one line a request: method, path with query, body. */
export function asked(seen: readonly SeenRequest[]): string[] {
  return seen.map(({ method, url, body }) =>
    [method, `${url.pathname}${decodeURIComponent(url.search)}`, body].filter((part) => part !== '').join(' '),
  )
}

/** Every record of a read, to its last page. */
export async function readAll(connector: Connector, request: ReadPageRequest): Promise<ProviderRecord[]> {
  const records: ProviderRecord[] = []
  let page: string | undefined
  do {
    const read = await connector.readPage({ ...request, ...(page !== undefined && { page }) })
    records.push(...read.records)
    page = read.nextPage
  } while (page !== undefined)
  return records
}
