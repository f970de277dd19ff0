import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bigquery } from './bigquery/index.ts'
import { openForTest, outcomeOf, type TestTarget, testMessages } from './conformance.testkit.ts'
import { startUploads } from './gcs/gcs.testkit.ts'
import { gcs } from './gcs/index.ts'
import { googleCredentials } from './google.testkit.ts'
import type { DestinationKind, OutgoingMessage } from './kind.ts'

/** The clients of Google do not leave the address guard, whatever their machine says. */

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const close of closing.splice(0)) await close()
})

async function serve(host: string, listener: RequestListener) {
  const server = createServer(listener)
  let connections = 0
  server.on('connection', () => connections++)
  await once(server.listen(0, host), 'listening')
  closing.push(async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

const small = testMessages('x')
/** A message whose object is sent by a resumable upload. */
const large: OutgoingMessage[] = [
  {
    ...(small[0] as OutgoingMessage),
    kind: 'read',
    hasResult: true,
    body: Buffer.from('{"resultInfo":{"type":"url"}}'),
  },
]
const result = Buffer.from(JSON.stringify(['x'.repeat(17 * 2 ** 20)]))
const openResult = async () => ({
  bytes: result.length,
  read: async (from: number, length: number) => result.subarray(from, from + length),
})

const rows = { projectId: 'events', datasetId: 'mortise', tableId: 'messages', layout: 'messages' }
const cases: Record<string, { kind: DestinationKind; settings: object; messages: OutgoingMessage[] }> = {
  gcs: { kind: gcs as DestinationKind, settings: { bucket: 'crm' }, messages: small },
  'gcs with a large object': { kind: gcs as DestinationKind, settings: { bucket: 'crm' }, messages: large },
  bigquery: { kind: bigquery as DestinationKind, settings: rows, messages: small },
  'bigquery with tables': {
    kind: bigquery as DestinationKind,
    settings: { projectId: 'events', datasetId: 'mortise', layout: 'tables', deletes: 'soft' },
    messages: small,
  },
}

/** Opens a destination whose tokens come from one server, and that sends to another. */
async function open(
  { kind, settings }: { kind: DestinationKind; settings: object },
  endpointUrl: string,
  allow: string,
) {
  const tokens = await serve('127.0.0.1', (_, response) =>
    response.writeHead(200).end('{"access_token":"t","expires_in":3600}'),
  )
  const credentials = googleCredentials(`http://127.0.0.1:${tokens.port}/token`)
  const opened = openForTest(kind, { ...settings, endpointUrl, credentials }, { allow, openResult })
  closing.push(opened.close)
  return { send: opened.send, tokens }
}

describe.each(Object.entries(cases))('%s', (_, { kind, settings, messages }) => {
  it('connects to no private address, with a token', async () => {
    const canary = await serve('127.0.0.2', (_request, response) => response.end('{}'))
    const { send, tokens } = await open({ kind, settings }, `https://127.0.0.2:${canary.port}/`, '127.0.0.1/32')
    await expect(send(messages)).rejects.toMatchObject({ kind: 'refused_address' })
    expect([tokens.connections(), canary.connections()]).toEqual([1, 0])
  })

  it('follows no redirect', async () => {
    const canary = await serve('127.0.0.1', (_request, response) => response.end('{}'))
    const location = `http://127.0.0.1:${canary.port}/`
    const target = await serve('127.0.0.1', (_request, response) => response.writeHead(307, { location }).end())
    const { send } = await open({ kind, settings }, `http://127.0.0.1:${target.port}/`, 'loopback')
    expect(await outcomeOf(send(messages))).toBe('retry')
    expect([target.connections() > 0, canary.connections()]).toEqual([true, 0])
  })

  it('ends at the deadline when the answer trickles', async () => {
    const target = await serve('127.0.0.1', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 10)
      response.on('close', () => clearInterval(timer))
    })
    const { send } = await open({ kind, settings }, `http://127.0.0.1:${target.port}/`, 'loopback')
    // A large object has 17 seconds more.
    const timeoutMs = messages === large ? 2_000 - 17_000 : 1_000
    expect(await outcomeOf(send(messages, { timeoutMs }))).toBe('retry')
  })

  it('handles answers that its client cannot read', async () => {
    for (const body of ['{}', '[]', 'null', '{"jobReference":{}}', '{"status":{"errors":1},"insertErrors":[{}]}']) {
      const target = await serve('127.0.0.1', (_request, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(body),
      )
      const { send } = await open({ kind, settings }, `http://127.0.0.1:${target.port}/`, 'loopback')
      expect([body, await outcomeOf(send(messages))]).toEqual([body, 'retry'])
    }
  })
})

const targets: Record<string, () => Promise<TestTarget>> = {
  gcs: async () => (await import('./gcs/conformance.testkit.ts')).harness.start(),
  bigquery: async () => (await import('./bigquery/conformance.testkit.ts')).harness.start(),
}

describe('the environment changes nothing', () => {
  const stub = (canary: string) => {
    for (const name of [
      ...['STORAGE_EMULATOR_HOST', 'BIGQUERY_EMULATOR_HOST', 'GCE_METADATA_HOST', 'GCE_METADATA_IP'],
      ...['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'],
    ])
      vi.stubEnv(name, canary)
    for (const name of ['GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_UNIVERSE_DOMAIN', 'GOOGLE_CLOUD_PROJECT'])
      vi.stubEnv(name, 'nothing.example.com')
  }

  it.each(Object.keys(targets))('for %s', async (name) => {
    const canary = await serve('127.0.0.1', (_request, response) => response.end('{}'))
    stub(`http://127.0.0.1:${canary.port}`)
    const target = await targets[name]?.()
    if (target === undefined) throw new Error(`no kind ${name}`)
    closing.push(target.stop)
    const { send, close } = openForTest((name === 'gcs' ? gcs : bigquery) as DestinationKind, target.settings)
    closing.push(close)
    expect(await send(small)).toMatchObject([{ outcome: 'delivered' }])
    expect([await target.received(), canary.connections()]).toEqual([[expect.anything()], 0])
  })

  it('for a large object', async () => {
    const canary = await serve('127.0.0.1', (_request, response) => response.end('{}'))
    stub(`http://127.0.0.1:${canary.port}`)
    const uploads = await startUploads()
    closing.push(uploads.stop)
    const { send, close } = openForTest(gcs as DestinationKind, uploads.settings, { openResult })
    closing.push(close)
    expect(await send(large)).toMatchObject([{ outcome: 'delivered' }])
    expect([uploads.objects.size, canary.connections()]).toEqual([1, 0])
  })
})
