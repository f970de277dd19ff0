import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import Fastify from 'fastify'
import pg from 'pg'
import { servePart } from './part.ts'

/** The least that can be between HTTP and a stored row: one Fastify handler, one INSERT, the same driver. */

export interface BareInsert {
  /** A login that may create a table. */
  address: pg.ClientConfig
  poolSize: number
}

interface Body {
  groupRef: string
  consumerRef: string
  provider: string
  apiKey: string
  providerMetadata: object
}

const table = `create table bare_connections (
  id uuid primary key,
  provider text not null,
  group_ref text not null,
  consumer_ref text not null,
  api_key text not null,
  provider_metadata jsonb not null,
  create_time timestamptz not null default now()
)`

const insert = `insert into bare_connections (id, provider, group_ref, consumer_ref, api_key, provider_metadata)
  values ($1, $2, $3, $4, $5, $6) returning *`

async function start({ address, poolSize }: BareInsert): Promise<string> {
  const pool = new pg.Pool({ ...address, max: poolSize })
  await pool.query(table)
  const app = Fastify()
  app.post<{ Body: Body }>('/connections', async ({ body }, reply) => {
    const { provider, groupRef, consumerRef, apiKey, providerMetadata } = body
    const values = [randomUUID(), provider, groupRef, consumerRef, apiKey, JSON.stringify(providerMetadata)]
    const { rows } = await pool.query({ name: 'insert', text: insert, values })
    return reply.code(201).send(rows[0])
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

servePart({ start, cpuMs })
