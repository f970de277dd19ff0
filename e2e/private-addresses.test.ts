import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postMessages } from '../packages/server/src/features/messaging/messages/index.ts'
import { sampleCrmProviders } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { loopbackSpellings, neverAddresses, privateAddresses } from '../packages/server/src/kernel/net/ssrf-vectors.ts'
import { startTestApp, startTestNode, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { expectProblem, type ProblemBody } from './problem-answer.testkit.ts'
import { openStoredRows } from './stored-rows.testkit.ts'

/**
 * Wherever a user names a host, the service does not speak to its own network: when it is named, and when it is
 * connected to.
 */

const env = { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' }
/** Opens its loopback, as the embedded database does. */
let loopback: TestApp
/** Opens nothing. */
let closed: TestApp
/** Opens everything that can be opened. */
let open: TestApp
/** What listens on the service's own machine, where nobody may get to. */
let canary: Server
let visits = 0
let port: number

beforeAll(async () => {
  canary = createServer((socket) => {
    visits++
    socket.destroy()
  })
  await new Promise<void>((resolve) => canary.listen(0, resolve))
  port = (canary.address() as AddressInfo).port
  loopback = await startTestApp({ env })
  closed = await startTestNode(loopback, { ...env, MORTISE_ALLOW_PRIVATE_NETWORK: '' })
  open = await startTestNode(loopback, { ...env, MORTISE_ALLOW_PRIVATE_NETWORK: '0.0.0.0/0, ::/0' })
})
afterAll(async () => {
  await Promise.all([closed?.stop(), open?.stop()])
  await loopback?.stop()
  await new Promise((resolve) => canary.close(resolve))
})

/** Every place of the API that takes a URL: with the name of the input that an answer blames. */
const places: Record<string, (app: TestApp, url: string) => { name: string; answer: ReturnType<TestApp['call']> }> = {
  'a destination': (app, url) => ({
    name: 'metadata.url',
    answer: app.call('POST', '/projects/default/destinations', { name: 'inside', type: 'webhook', metadata: { url } }),
  }),
  'a destination’s update': (app, url) => ({
    name: 'destination.metadata.url',
    answer: app.call('PATCH', '/projects/default/destinations/outside', {
      updateMask: ['metadata.url'],
      destination: { metadata: { url } },
    }),
  }),
  'a source': (app, url) => ({
    name: 'sourceZipUrl',
    answer: app.call('PUT', '/projects/default/integrations:batch', { sourceZipUrl: url }),
  }),
  'a provider': (app, url) => ({
    name: 'providerMetadata.url',
    answer: app.call('POST', '/projects/default/connections:generate', {
      groupRef: 'group',
      consumerRef: 'person',
      provider: 'sampleCrm',
      apiKey: 'a-key',
      providerMetadata: { url },
    }),
  }),
}

async function expectRefused(app: TestApp, place: string, url: string): Promise<ProblemBody> {
  const { name, answer } = places[place]!(app, url)
  const { status, headers, body } = await answer
  expect([400, 422], `${url}: ${JSON.stringify(body)}`).toContain(status)
  const problem = expectProblem({ status, headers: Object.fromEntries(headers), text: JSON.stringify(body) })
  expect(problem.issues).toMatchObject([{ in: 'body', name, remedy: expect.stringMatching(/\S/) }])
  return problem
}

const hostOf = (address: string) => (address.includes(':') ? `[${address}]` : address)

describe.each(Object.keys(places))('%s', (place) => {
  beforeAll(async () => {
    const metadata = { url: 'https://203.0.114.5/' }
    await loopback.call('POST', '/projects/default/destinations', { name: 'outside', type: 'webhook', metadata })
  })

  it('is at no special address, in none of its spellings, and the answer names the setting', async () => {
    const rows = await openStoredRows(closed.testDatabase.url)
    const before = await rows.fingerprint()
    for (const address of privateAddresses) {
      const { issues } = await expectRefused(closed, place, `https://${hostOf(address)}:${port}/`)
      if (!address.includes('%')) expect(issues?.[0]?.remedy).toContain('MORTISE_ALLOW_PRIVATE_NETWORK')
    }
    for (const host of loopbackSpellings)
      for (const scheme of ['https', 'http']) await expectRefused(closed, place, `${scheme}://${host}:${port}/`)
    expect(await rows.fingerprint()).toBe(before)
    await rows.close()
    expect(visits).toBe(0)
  })

  it('is never at a link-local or metadata address, whatever the operator opened', async () => {
    for (const address of neverAddresses) {
      const { issues } = await expectRefused(open, place, `https://${hostOf(address)}/`)
      if (!address.includes('%')) expect(issues?.[0]?.remedy).toContain('never reached')
    }
  })
})

it('a network that the operator opened may be named', async () => {
  const { answer } = places['a destination']!(open, 'http://10.0.0.1/')
  expect((await answer).status).toBe(201)
  await open.call('DELETE', '/projects/default/destinations/inside')
})

describe('what was stored when its network was open, once it is closed', () => {
  it.each(['localhost', '127.0.0.1', '[::1]'])('%s is not connected to', async (host) => {
    const url = `https://${host}:${port}/`
    const metadata = { url }
    const name = `at-${host.replaceAll(/[^a-z0-9]/g, '-')}`
    const made = await loopback.call('POST', '/projects/default/destinations', { name, type: 'webhook', metadata })
    expect(made.status).toBe(201)
    const { services } = loopback.app
    await loopback.db.transaction((tx) =>
      postMessages(tx, services, [{ destinationName: name, kind: 'read', payload: Buffer.from('{}') }]),
    )
    const worker = await startTestNode(loopback, { ...env, MORTISE_ROLES: 'worker', MORTISE_ALLOW_PRIVATE_NETWORK: '' })
    try {
      const [attempt] = await attemptsOf(name)
      expect(attempt).toMatchObject({ status: null, error: expect.stringMatching(/not (at )?a public/) })
      expect(visits).toBe(0)
    } finally {
      await worker.stop()
    }
  })
})

/** Waits for the attempts at a destination, at most a minute. */
async function attemptsOf(destination: string): Promise<{ status: number | null; error: string | null }[]> {
  for (const until = Date.now() + 60_000; Date.now() < until; ) {
    const { rows } = await sql<{ status: number | null; error: string | null }>`
      select a.status, a.error from attempts a join destinations d on d.project_id = a.project_id and d.id = a.destination_id
       where a.project_id = ${loopback.projectId} and d.name = ${destination}`.execute(loopback.db.sql)
    if (rows.length > 0) return rows
    await sql`select pg_sleep(0.05)`.execute(loopback.db.sql)
  }
  throw new Error('no attempt in time')
}
