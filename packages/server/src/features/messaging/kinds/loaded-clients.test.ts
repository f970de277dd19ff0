import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Libraries of single types of destinations. */
const clients = [
  'mysql2',
  'ioredis',
  '@nats-io/nats-core',
  'amqplib',
  'nodemailer',
  'hyparquet-writer',
  'csv-stringify',
  '@azure/storage-blob',
  '@azure/logger',
  '@google-cloud/pubsub',
  '@aws-sdk/client-sqs',
  '@aws-sdk/client-kinesis',
  '@aws-sdk/client-redshift-data',
  '@google-cloud/bigquery',
  '@google-cloud/storage',
  '@azure/service-bus',
  'ws',
  '@clickhouse/client',
  '@aws-sdk/client-s3',
]

const recorder = new URL('../../../testkit/loaded-packages.ts', import.meta.url).href

/** Names of the npm packages that a program loads. */
async function loadedBy(program: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=mortise-source', '--import', recorder, '--input-type=module', '--eval', program],
    { cwd: fileURLToPath(new URL('.', import.meta.url)), timeout: 60_000 },
  )
  return JSON.parse(stdout) as string[]
}

test('a service without destinations loads none of the libraries of their types', async () => {
  const all = await loadedBy("await import('./index.ts'); await import('../../../serve.ts')")
  expect(all).toContain('fastify')
  expect(all.filter((name) => clients.includes(name))).toEqual([])
})

test('a connection loads the library of its type', async () => {
  const program = `
    const { connectMysql } = await import('./mysql/mysql-connection.ts')
    const { createAddressGuard } = await import('../../../kernel/net/index.ts')
    const settings = { url: 'mysql://a:b@127.0.0.1:1/c?ssl-mode=DISABLED' }
    const options = { timeoutMs: 1_000, signal: AbortSignal.timeout(1_000) }
    await connectMysql(settings, { guard: createAddressGuard({ allow: [] }) }, options).catch(() => undefined)`
  expect((await loadedBy(program)).filter((name) => clients.includes(name))).toEqual(['mysql2'])
})
