import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ProviderHttp, ProviderHttpResponse } from '../../connector.ts'
import { startServer } from './http-server.ts'
import { answerAs, type StandIn } from './stand-in.ts'

/** One server for the stand-ins of all providers. */
export interface StandInServer extends AsyncDisposable {
  /** Sends requests to the stand-in, whatever their host: the test has no DNS. */
  httpTo(standIn: StandIn): ProviderHttp
}

export async function startStandIns(): Promise<StandInServer> {
  const agent = new Agent({ keepAlive: true })
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
      return async ({ method, url, headers, body, streams }) => {
        const { origin } = new URL(url)
        const target = server.origin + url.slice(origin.length)
        return send(target, method, { ...headers, 'x-stand-in': id, 'x-origin': origin }, body, { agent, streams })
      }
    },
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Half of the time of `fetch`, of which the suite would send a hundred thousand. */
async function send(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string | undefined,
  { agent, streams = false }: { agent: Agent; streams: boolean | undefined },
): Promise<ProviderHttpResponse> {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const outgoing = request(url, { method, headers: { ...headers, ...length }, agent })
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  // Several headers `Set-Cookie` are lines of one text.
  const found = Object.entries(incoming.headers).map(([name, value]) => [name, [value].flat().join('\n')] as const)
  const answer = { status: incoming.statusCode ?? 0, headers: Object.fromEntries(found) }
  if (streams && answer.status < 300) return { ...answer, body: '', stream: incoming }
  return { ...answer, body: await text(incoming) }
}
