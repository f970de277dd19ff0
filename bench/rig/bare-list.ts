import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import pg from 'pg'
import { servePart } from './part.ts'

/** The least that can be between HTTP and a SELECT: one Fastify handler, one statement, the same driver. */

export interface BareList {
  address: { host: string; port: number; user: string; database: string }
  projectId: string
  statements: Record<string, { text: string; values: unknown[] }>
}

async function start({ address, projectId, statements }: BareList): Promise<string> {
  const options = `-c search_path=mortise -c role=mortise_app -c mortise.project=${projectId}`
  const pool = new pg.Pool({ ...address, options, max: 10 })
  const app = Fastify()
  for (const [name, { text, values }] of Object.entries(statements))
    app.get(`/${name}`, async () => (await pool.query(text, values)).rows)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

servePart({ start })
