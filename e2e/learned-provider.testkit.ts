import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A help desk that a vendor would describe by OpenAPI. It refuses what its document does not allow. */
export interface HelpDesk {
  url: string
  token: string
  document: object
  close(): Promise<void>
}

const token = 'desk-token-1815'
const text = { type: 'string' }
const integer = { type: 'integer' }
const object = (properties: object) => ({ type: 'object', properties })
const array = (items: object) => ({ type: 'array', items })
const json = (schema: object) => ({ 200: { content: { 'application/json': { schema } } } })
const query = (name: string, schema: object) => ({ in: 'query', name, schema })
const inPath = { in: 'path', name: 'team_id', required: true, schema: text }

const ticket = object({
  id: { ...integer, readOnly: true },
  subject: text,
  state: { type: 'string', enum: ['open', 'closed'] },
  updated_at: { type: 'string', format: 'date-time' },
})

const paths = {
  '/v2/me': { get: { responses: json(object({ id: text, name: text })) } },
  '/v2/tickets': {
    get: {
      parameters: [
        query('cursor', text),
        query('limit', { ...integer, maximum: 50 }),
        query('updated_since', { type: 'string', format: 'date-time' }),
        query('updated_until', { type: 'string', format: 'date-time' }),
      ],
      responses: json(object({ tickets: array(ticket), meta: object({ next_cursor: text, total: integer }) })),
    },
    post: { requestBody: { content: { 'application/json': { schema: ticket } } }, responses: json(ticket) },
  },
  '/v2/tickets/{ticket_id}': {
    get: { responses: json(ticket) },
    patch: { requestBody: { content: { 'application/json': { schema: ticket } } }, responses: json(ticket) },
    delete: { responses: { 204: {} } },
  },
  '/v2/teams': {
    get: {
      parameters: [query('page', integer), query('per_page', { ...integer, maximum: 20 })],
      responses: json(array(object({ slug: text, name: text }))),
    },
  },
  '/v2/teams/{team_id}': { get: { parameters: [inPath], responses: json(object({ slug: text, name: text })) } },
  '/v2/teams/{team_id}/members': {
    get: {
      parameters: [inPath, query('offset', integer), query('limit', { ...integer, maximum: 10 })],
      responses: json(object({ items: array(object({ id: text, email: text })) })),
    },
  },
  '/v2/audits/search': {
    post: {
      requestBody: {
        content: { 'application/json': { schema: object({ after: text, page_size: { ...integer, maximum: 25 } }) } },
      },
      responses: json(object({ results: array(object({ id: text, action: text })), next: object({ after: text }) })),
    },
  },
}

const teams = ['sales', 'service', 'research'].map((slug) => ({ slug, name: slug.toUpperCase() }))
const audits = Array.from({ length: 60 }, (_, at) => ({ id: `a${at}`, action: 'login' }))
const tickets = Array.from({ length: 120 }, (_, at) => ({
  id: at + 1,
  subject: `Ticket ${at + 1}`,
  state: at % 2 === 0 ? 'open' : 'closed',
  updated_at: new Date(Date.now() - at * 60_000).toISOString(),
}))

class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export async function startHelpDesk(): Promise<HelpDesk> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const send = (status: number, body: unknown) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(body))
      }
      try {
        if (request.headers.authorization !== `Bearer ${token}`) throw new Refused(401, 'no valid token')
        const body = Buffer.concat(chunks).toString('utf8')
        send(200, answer(`${request.method} `, new URL(request.url ?? '/', 'http://desk'), body))
      } catch (error) {
        const status = error instanceof Refused ? error.status : 500
        send(status, { error: error instanceof Error ? error.message : 'error' })
      }
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    token,
    document: {
      openapi: '3.1.0',
      info: { title: 'Help Desk API' },
      servers: [{ url }],
      security: [{ token: [] }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      paths,
    },
    close: () => new Promise((done) => server.close(() => done())),
  }
}

function answer(method: string, { pathname, searchParams }: URL, body: string): unknown {
  const sizeOf = (name: string, max: number) => {
    const size = Number(searchParams.get(name) ?? max)
    if (!Number.isInteger(size) || size < 1 || size > max) throw new Refused(400, `${name} is at most ${max}`)
    return size
  }
  const allow = (...names: string[]) => {
    const wrong = [...searchParams.keys()].filter((name) => !names.includes(name))
    if (wrong.length > 0) throw new Refused(400, `unknown parameter ${wrong.join()}`)
  }
  const member = /^\/v2\/teams\/(\w+)\/members$/.exec(pathname)?.[1]
  if (method === 'GET ' && member !== undefined) {
    allow('offset', 'limit')
    if (!teams.some(({ slug }) => slug === member)) throw new Refused(404, 'no such team')
    const offset = Number(searchParams.get('offset') ?? 0)
    const items = Array.from({ length: 15 }, (_, at) => ({ id: `${member}-${at}`, email: `${at}@example.com` }))
    return { items: items.slice(offset, offset + sizeOf('limit', 10)) }
  }
  switch (method + pathname) {
    case 'GET /v2/me':
      return { id: 'u1', name: 'Ada' }
    case 'GET /v2/teams': {
      allow('page', 'per_page')
      const size = sizeOf('per_page', 20)
      const start = (Number(searchParams.get('page') ?? 1) - 1) * size
      return teams.slice(start, start + size)
    }
    case 'GET /v2/tickets': {
      allow('cursor', 'limit', 'updated_since', 'updated_until')
      const [since, until] = ['updated_since', 'updated_until'].map((name) => searchParams.get(name))
      const found = tickets.filter(
        ({ updated_at }) => (!since || updated_at >= since) && (!until || updated_at < until),
      )
      const start = Number(searchParams.get('cursor') ?? 0)
      const end = start + sizeOf('limit', 50)
      const next = end < found.length ? { next_cursor: `${end}` } : {}
      return { tickets: found.slice(start, end), meta: { ...next, total: found.length } }
    }
    case 'POST /v2/audits/search': {
      const { after = '0', page_size: size = 25, ...more } = JSON.parse(body) as { after?: string; page_size?: number }
      if (Object.keys(more).length > 0 || size > 25) throw new Refused(400, 'body not valid')
      const end = Number(after) + size
      return { results: audits.slice(Number(after), end), next: end < audits.length ? { after: `${end}` } : {} }
    }
    default:
      throw new Refused(404, `nothing at ${pathname}`)
  }
}
