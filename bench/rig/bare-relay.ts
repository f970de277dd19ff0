import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { Agent, type Dispatcher } from 'undici'
import { servePart } from './part.ts'

/**
 * The least that can be between a client and a provider: Node's server, undici, and the headers of the connection left
 * out.
 */
async function start(origin: string): Promise<string> {
  const agent = new Agent({ connections: 64, pipelining: 1 })
  const server = createServer((request, response) => {
    const { host: _, connection: __, ...headers } = request.headers
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_controller, status, answered) {
        const { connection: ___, 'keep-alive': ____, 'transfer-encoding': _____, ...passed } = answered
        response.writeHead(status, passed)
      },
      onResponseData(controller, chunk) {
        if (response.write(chunk)) return
        controller.pause()
        response.once('drain', () => controller.resume())
      },
      onResponseEnd: () => void response.end(),
      onResponseError: () => void response.destroy(),
    }
    const method = request.method as Dispatcher.HttpMethod
    agent.dispatch(
      { origin, path: request.url ?? '/', method, headers, body: method === 'GET' ? null : request },
      handler,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Milliseconds of processor time that it has taken so far. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

servePart({ start, cpuMs })
