import { createServer, request } from 'node:http'
import { freeAddress } from './loopback.ts'

/** Passes requests on to an application, so that a test can act between two of them. */
export interface Relay extends AsyncDisposable {
  /** Address of the relay, without a trailing slash. */
  url: string
  /** Paths with their queries, in the order of arrival. */
  seen: string[]
  /** Runs `act` once, before the first request that matches is passed on. Resolves when `act` has ended. */
  before(matches: (url: string) => boolean, act: () => Promise<void>): Promise<void>
}

/** @param target address of the application. While nothing answers there, the relay closes connections unanswered. */
export async function startRelay(target: string): Promise<Relay> {
  const seen: string[] = []
  let pending: { matches: (url: string) => boolean; run: () => Promise<void> } | undefined
  const server = createServer(async (incoming, outgoing) => {
    const url = incoming.url ?? '/'
    seen.push(url)
    if (pending?.matches(url)) {
      const { run } = pending
      pending = undefined
      await run()
    }
    const { method, headers } = incoming
    const passed = request(`${target}${url}`, { method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
      answer.on('error', () => outgoing.destroy())
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  const { host, port } = await freeAddress()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  return {
    url: `http://${host}:${port}`,
    seen,
    before: (matches, act) =>
      new Promise((resolve, reject) => {
        pending = { matches, run: () => act().then(resolve, reject) }
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
