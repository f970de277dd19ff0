import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { KindHarness, ReceivedMessage } from '../conformance.testkit.ts'

const secret = 'Bearer-kLq82nVx9'

const answers: Record<string, (response: ServerResponse) => void> = {
  accept: (response) => response.writeHead(204).end(),
  hang: () => undefined,
  echo: (response) => response.writeHead(500).end(`You sent ${secret}.`),
  'answers 500': (response) => response.writeHead(500).end(),
  'answers 401': (response) => response.writeHead(401).end(),
  redirects: (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  'answers 410': (response) => response.writeHead(410).end(),
  'hangs up': (response) => response.socket?.destroy(),
  'speaks another protocol': (response) => response.socket?.end('+PONG\r\n'),
}

export const harness: KindHarness = {
  settingsFor: (host, port) => ({ url: `https://${host}:${port}/`, headers: { Authorization: secret } }),
  wrong: {
    input: { url: 'ftp://example.com', headers: { Host: 'x', 'X-Number': 5 } },
    names: ['url', 'headers.Host', 'headers.X-Number'],
  },
  failures: {
    'answers 500': 'retry',
    'answers 401': 'retry',
    redirects: 'retry',
    'answers 410': 'gone',
    'hangs up': 'retry',
    'speaks another protocol': 'retry',
  },
  async start() {
    const sockets = new Set<Socket>()
    const received: ReceivedMessage[] = []
    let [behavior, total] = ['accept', 0]
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body = Buffer.concat(chunks).toString()
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      if (body.includes('bad')) return answers['answers 500']?.(response)
      if (behavior === 'accept') received.push({ id: headers['webhook-id'] ?? '', body, headers })
      answers[behavior]?.(response)
    })
    server.on('connection', (socket) => {
      total++
      sockets.add(socket.once('close', () => sockets.delete(socket)))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    return {
      port,
      settings: { url: `http://127.0.0.1:${port}/hook`, headers: { Authorization: secret } },
      secret,
      received,
      behave: (what) => {
        behavior = what
      },
      connections: () => ({ open: sockets.size, total }),
      async stop() {
        server.close()
        server.closeAllConnections()
      },
    }
  },
}
