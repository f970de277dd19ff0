import {
  type ConnectionContext,
  type Connector,
  createConnector,
  loadCatalogue,
  type ProviderEntry,
  proxyBase,
} from '../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from './http-server.testkit.ts'
import { testCache } from './test-cache.testkit.ts'

interface Opened extends AsyncDisposable {
  connector: Connector
  entry: ProviderEntry
  /** Requests so far, in order. */
  seen: SeenRequest[]
}

/** A connector of a built-in provider whose requests reach a server of the test instead of the provider's host. */
export async function openProvider(
  name: string,
  answer: (request: SeenRequest) => Answer,
  { now, ...given }: Partial<ConnectionContext> & { now?: () => number } = {},
): Promise<Opened> {
  const entry = (await loadCatalogue({ cacheDir: testCache })).find(name)
  if (entry === undefined) throw new Error(`no ${name}`)
  const server = await startServer(answer)
  const connection = { metadata: {}, credential: { scheme: 'oauth2', accessToken: 't1' } as const, ...given }
  const http = plainHttp(fetch, { from: proxyBase(entry, connection).origin, to: server.origin })
  return {
    connector: createConnector(entry, connection, http, now && { now }),
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
