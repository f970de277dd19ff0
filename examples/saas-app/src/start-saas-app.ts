import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@mortise/client'
import { createBundledPages } from './bundled-pages.ts'
import { createConnectSession } from './connect-sessions.ts'
import { type Customer, customers as sampleCustomers } from './customers.ts'
import { isOwnPage, readJson, sendJson } from './http.ts'
import { createLiveUpdates } from './live-updates.ts'
import { receiveWebhook } from './receive-webhook.ts'
import { type CustomerData, createRecordBook } from './record-book.ts'
import { sendFile } from './static-files.ts'

export interface SaasAppOptions {
  /** 0, the default: any free port. */
  readonly port?: number
  readonly host?: string
  /** Origin of Mortise. */
  readonly mortiseUrl: string
  /** An API key of scope `full`. It never leaves this server. */
  readonly apiKey: string
  /** Id or name of the project; `default` unless set. */
  readonly project?: string
  /** Signing secret of the destination that points to `/webhooks/mortise`, or how to get it. */
  readonly webhookSecret: string | (() => string)
  /** Who uses Harbor; Acme and Globex unless set. */
  readonly customers?: readonly Customer[]
}

export interface SaasApp {
  readonly url: string
  readonly webhookUrl: string
  /** What arrived for a customer. */
  dataOf(groupRef: string): CustomerData
  close(): Promise<void>
}

const cookieName = 'harbor_customer'

/** Starts Harbor, the product of the example. */
export async function startSaasApp(options: SaasAppOptions): Promise<SaasApp> {
  const { port = 0, host = 'localhost', mortiseUrl, apiKey, project = 'default', webhookSecret } = options
  const { customers = sampleCustomers } = options
  const mortise = createClient({ baseUrl: mortiseUrl, apiKey, project })
  const book = createRecordBook()
  const updates = createLiveUpdates()
  const bundledPages = createBundledPages()

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = (request.url ?? '').split('?', 1)
    const customer = signedIn(request, customers)
    switch (`${request.method} ${path}`) {
      case 'POST /webhooks/mortise': {
        const secret = typeof webhookSecret === 'string' ? webhookSecret : webhookSecret()
        return receiveWebhook(request, response, { secret, book, arrived: updates.notify })
      }
      case 'GET /api/me':
        return sendJson(response, 200, { customer, customers, project, mortiseUrl })
      case 'GET /api/data':
        return sendJson(response, 200, book.of(customer.id))
      case 'GET /api/updates':
        return updates.open(customer.id, response)
      case 'POST /api/connect-session':
        if (!isOwnPage(request)) return void response.writeHead(403).end()
        return sendJson(response, 200, await createConnectSession(mortise, customer, await readJson(request)))
      case 'POST /api/customer': {
        if (!isOwnPage(request)) return void response.writeHead(403).end()
        const { id } = await readJson(request)
        const next = customers.find((one) => one.id === id) ?? customer
        response.setHeader('set-cookie', `${cookieName}=${next.id}; Path=/; HttpOnly; SameSite=Lax`)
        return sendJson(response, 200, { customer: next })
      }
    }
    if (request.method === 'GET' && (await bundledPages.send(response, path))) return
    if (request.method === 'GET' && (await sendFile(response, path, mortiseUrl))) return
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found.\n')
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      process.stderr.write(`saas-app: ${error instanceof Error ? error.message : error}\n`)
      if (!response.headersSent) sendJson(response, 502, { error: 'Mortise could not be reached. Try again.' })
      else response.destroy()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  const url = `http://${host}:${(server.address() as AddressInfo).port}`

  return {
    url,
    webhookUrl: `${url}/webhooks/mortise`,
    dataOf: (groupRef) => book.of(groupRef),
    close: () =>
      new Promise((resolve) => {
        updates.close()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Stands for your own sign-in: the customer of a cookie, the first one without it. */
function signedIn({ headers }: IncomingMessage, customers: readonly Customer[]): Customer {
  const [, id] = new RegExp(`(?:^|;\\s*)${cookieName}=([a-z0-9-]+)`).exec(headers.cookie ?? '') ?? []
  const customer = customers.find((one) => one.id === id) ?? customers[0]
  if (!customer) throw new Error('There are no customers.')
  return customer
}
