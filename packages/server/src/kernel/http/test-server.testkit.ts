import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { Database, ProjectDb } from '../db/index.ts'
import { createLogger, createMetrics } from '../telemetry/index.ts'
import { createHttpServer, type Endpoint, type HttpServerOptions, type Identity } from './index.ts'

/** Keys that the servers of these tests know. */
export const fullKey = 'mortise_full'
export const frontendKey = 'mortise_frontend'
export const otherKey = 'mortise_other'

const identity = (name: string, id: string, scope: 'full' | 'frontend'): Identity => ({
  caller: { kind: 'apiKey', keyId: `key-${name}`, scope, createdBy: 'builder:1' },
  project: { id, name, orgId: '0198c0de-0000-7000-8000-00000000000f' },
})
export const projectId = '0198c0de-0000-7000-8000-000000000001'
export const otherProjectId = '0198c0de-0000-7000-8000-000000000002'
const identities = new Map<string, Identity>([
  [fullKey, identity('shop', projectId, 'full')],
  [frontendKey, identity('shop', projectId, 'frontend')],
  [otherKey, identity('other', otherProjectId, 'full')],
])

export interface Answer {
  status: number
  headers: Headers
  text: string
  body: ProblemBody
}

/** What tests look at in an answer: a problem, or whatever the endpoint answers. */
export interface ProblemBody {
  [key: string]: unknown
  context: Record<string, unknown>
  issues: { in: string; name: string; detail: string; value?: unknown; remedy?: string }[]
}

export interface TestServer {
  url: string
  port: number
  logs: Record<string, unknown>[]
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
}

export interface CallOptions {
  /** Sent as JSON, or as it is when it is text or bytes. */
  body?: unknown
  /** null for none. */
  key?: string | null
  headers?: Record<string, string>
}

/** A server of the given endpoints on 127.0.0.1, closed when the test has finished. */
export async function startTestServer(
  endpoints: Endpoint<unknown>[],
  options: Partial<HttpServerOptions<unknown>> = {},
  /** Is handed the server itself before it listens. */
  onCreated?: (app: FastifyInstance) => void,
): Promise<TestServer> {
  const logs: Record<string, unknown>[] = []
  let ids = 0
  const app = createHttpServer<unknown>({
    endpoints,
    services: {},
    authenticate: async ({ value }) => identities.get(value),
    findRole: async () => undefined,
    database: { forProject: (id: string) => ({ projectId: id }) as ProjectDb } satisfies Pick<Database, 'forProject'>,
    log: createLogger({ level: 'debug', destination: { write: (line) => logs.push(JSON.parse(line)) } }),
    metrics: createMetrics(),
    problems: { publicUrl: 'https://mortise.example.com', support: {} },
    now: () => new Date('2026-01-02T03:04:05.678Z'),
    newId: () => `request-${++ids}`,
    trustedProxies: [],
    ...options,
  })
  onCreated?.(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    port,
    logs,
    async call(method, path, { body, key = fullKey, headers = {} } = {}) {
      const raw = typeof body === 'string' || body instanceof Uint8Array
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(key !== null && { 'x-api-key': key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
      })
      const text = await response.text()
      const json = /json/.test(response.headers.get('content-type') ?? '')
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: json && text !== '' ? JSON.parse(text) : undefined,
      }
    },
  }
}
