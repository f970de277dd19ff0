import type { ProviderHttp } from '../../connector.ts'
import { startServer } from '../../testing/http-server.testkit.ts'
import { answerAs, type StandIn } from './stand-in.testkit.ts'

/** One server for the stand-ins of all providers. */
export interface StandInServer extends AsyncDisposable {
  /** Sends requests to the stand-in, whatever their host: the test has no DNS. */
  httpTo(standIn: StandIn): ProviderHttp
}

export async function startStandIns(): Promise<StandInServer> {
  const standIns = new Map<string, StandIn>()
  const server = await startServer((seen) => {
    server.seen.length = 0
    const { 'x-stand-in': id = '', 'x-origin': origin = '' } = seen.headers
    const standIn = standIns.get(id)
    if (standIn === undefined) throw new Error(`There is no stand-in ${id}.`)
    return answerAs(standIn, seen, origin)
  })
  let count = 0
  return {
    httpTo(standIn) {
      const id = String(count++)
      standIns.set(id, standIn)
      return async ({ method, url, headers, body }) => {
        const { origin } = new URL(url)
        const response = await fetch(server.origin + url.slice(origin.length), {
          method,
          headers: { ...headers, 'x-stand-in': id, 'x-origin': origin },
          redirect: 'manual',
          ...(body === undefined ? {} : { body }),
        })
        return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
