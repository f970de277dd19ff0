import type { AddressInfo } from 'node:net'
import process from 'node:process'
import Fastify from 'fastify'
import pg from 'pg'
import { apiEndpoints } from '../../packages/server/src/features/index.ts'
import { jsonReplies } from '../../packages/server/src/kernel/http/add-endpoint.ts'
import type { Statement } from './app-beside.ts'
import { servePart } from './part.ts'

/**
 * The least that can be between HTTP and the statements of an endpoint: a Fastify handler that sends the same ones by
 * the same driver, through pools of the same size, and writes the same answer by the same schema.
 */

export interface BareHandlers {
  address: { host: string; port: number; user: string; database: string }
  projectId: string
  poolSize: number
  /** By endpoint. */
  handlers: Record<string, { statements: Statement[]; body: unknown }>
}

async function start({ address, projectId, poolSize, handlers }: BareHandlers): Promise<string> {
  const poolAs = (role: string, max: number) =>
    new pg.Pool({
      ...address,
      options: `-c search_path=mortise -c timezone=UTC -c role=${role} -c mortise.project=${projectId}`,
      max,
    })
  const pool = poolAs('mortise_app', poolSize)
  const systemPool = poolAs('mortise_system', Math.ceil(poolSize / 2))
  const schemas = new Map(apiEndpoints.map(({ declaration }) => [declaration.id, jsonReplies(declaration.reply)]))
  const app = Fastify()
  for (const [id, { statements, body }] of Object.entries(handlers))
    app.get(`/${id}`, { schema: { response: schemas.get(id) ?? {} } }, async () => {
      for (const { text, values, system } of statements) await (system ? systemPool : pool).query(text, values)
      return body
    })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

servePart({ start, cpuMs })
