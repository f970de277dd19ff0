import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { verifyConnectionHandler } from './jobs/verify-connection.ts'

const providers = resolve(import.meta.dirname, '../../../../../../examples/sample-crm/providers')

let app: TestApp
beforeAll(async () => {
  // No worker: the test runs the job.
  app = await startTestApp({ env: { MORTISE_ROLES: 'api', MORTISE_PROVIDERS_DIR: providers } })
})
afterAll(async () => {
  await app?.stop()
})

test.each([
  ['accepts', 'refuses', 'bad_credentials'],
  ['refuses', 'accepts', 'working'],
] as const)(
  'a credential that replaces one during its check is checked, too: the provider %s the first and %s the second',
  async (first, second, status) => {
    const asked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const provider = createServer(async (request, response) => {
      const key = String(request.headers['x-api-key'])
      if (key.startsWith('first')) {
        asked.resolve()
        await release.promise
      }
      response.writeHead(key.endsWith('accepts') ? 200 : 401, { 'content-type': 'application/json' }).end('{}')
    })
    await once(provider.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
    const connect = async (apiKey: string) => {
      const body = { groupRef: status, consumerRef: 'ada', provider: 'sampleCrm', apiKey }
      const answer = await app.call<{ id: string }>('POST', '/projects/default/connections:generate', {
        ...body,
        providerMetadata: { url },
      })
      expect(answer.status).toBe(201)
      return answer.body.id
    }

    const connectionId = await connect(`first ${first}`)
    const data = { projectId: app.projectId, connectionId }
    const { signal } = new AbortController()
    const checking = verifyConnectionHandler.declaration.run({ data, signal } as never, app.app.services)
    await asked.promise
    // The first job still waits for the queue, so this change enqueues none.
    expect(await connect(`second ${second}`)).toBe(connectionId)
    const { rows } = await sql`
    select from mortise_jobs.job where name = 'connections.verify' and singleton_key = ${connectionId}`.execute(
      app.testDatabase.database.system,
    )
    expect(rows).toHaveLength(1)
    release.resolve()
    await checking

    const { body } = await app.call('GET', `/projects/default/connections/${connectionId}`)
    expect(body).toMatchObject({ status, lastCheck: { outcome: status === 'working' ? 'works' : 'refused' } })
    provider.closeAllConnections()
    provider.close()
  },
)
