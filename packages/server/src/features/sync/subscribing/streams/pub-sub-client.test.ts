import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type AllowedNetworks,
  createAddressGuard,
  type Names,
  parseAllowedNetworks,
} from '../../../../kernel/net/index.ts'
import { openPubSub } from './pub-sub-client.ts'
import { type PubSubServer, startPubSubServer } from './pub-sub-server.testkit.ts'

let server: PubSubServer
beforeAll(async () => {
  server = await startPubSubServer()
  server.addTopic('/data/AccountChangeEvent')
})
afterAll(() => {
  server?.stop()
})

const loopback = parseAllowedNetworks('loopback')
const local = [{ address: '127.0.0.1', family: 4 as const }]

/** Opens a client for a name that resolves to the server. */
async function open({
  host = 'name.example',
  allow = loopback,
  addresses = local as { address: string; family: 4 | 6 }[],
  idleMs = 60_000,
}: {
  host?: string
  allow?: AllowedNetworks
  addresses?: { address: string; family: 4 | 6 }[]
  idleMs?: number
} = {}) {
  const resolved: string[] = []
  const names: Names = {
    known: () => undefined,
    lookup: () => undefined,
    resolve: async (name: string) => {
      resolved.push(name)
      return addresses.map((one) => ({ ...one, ttl: 60 }))
    },
  }
  const client = await openPubSub({
    host,
    port: Number(server.host.split(':')[1]),
    guard: createAddressGuard({ allow }),
    names,
    project: 'project',
    headers: { accesstoken: 'token', instanceurl: 'https://x.test', tenantid: 'org1' },
    safe: (text) => text.replaceAll('token', '…'),
    idleMs,
  })
  return { client, resolved }
}

/** What the iteration over a subscription ends with. */
async function endOf(client: Awaited<ReturnType<typeof open>>['client'], signal = new AbortController().signal) {
  const subscription = client.subscribe('/data/AccountChangeEvent', { position: undefined, signal })
  subscription.request(25)
  try {
    for await (const _ of subscription) return 'a response'
    return 'the end'
  } catch (error) {
    return error
  } finally {
    client.close()
  }
}

it('connects to the checked address, with the certificate of the name', async () => {
  const { client, resolved } = await open()
  const ended = endOf(client)
  await expect.poll(() => server.calls.length).toBe(1)
  server.keepAlive('/data/AccountChangeEvent')
  expect(await ended).toBe('a response')
  expect(resolved).toEqual(['name.example'])
})

it('refuses addresses that the guard refuses, also if only one of several is', async () => {
  const allow = parseAllowedNetworks('')
  await expect(open({ allow })).rejects.toMatchObject({ kind: 'refused_address' })
  const addresses = [...local, { address: '169.254.169.254', family: 4 as const }]
  await expect(open({ addresses })).rejects.toMatchObject({ kind: 'refused_address' })
  await expect(open({ addresses: [] })).rejects.toMatchObject({ kind: 'refused_address' })
})

it('refuses the certificate of another name', async () => {
  const { client } = await open({ host: 'other.example' })
  expect(await endOf(client)).toMatchObject({
    class: 'provider_5xx',
    providerMessage: expect.stringMatching(/certificate/),
  })
})

it('ends a subscription that has no response in time', async () => {
  const { client } = await open({ idleMs: 300 })
  expect(await endOf(client)).toMatchObject({ kind: 'timeout' })
  await expect.poll(() => server.calls.length).toBe(0)
})

it('ends with the reason of its signal', async () => {
  const { client } = await open()
  const controller = new AbortController()
  const ended = endOf(client, controller.signal)
  await expect.poll(() => server.calls.length).toBe(1)
  controller.abort(new Error('stopping'))
  expect(await ended).toMatchObject({ message: 'stopping' })
})
