import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { type FailureRow, failureTable } from './failure-table.ts'
import {
  type Misbehavior,
  misbehaviors,
  providerNames,
  startMisbehavingProvider,
} from './misbehaving-provider.testkit.ts'

/** Each use of a provider does what the table says, with the same sentence, at a provider that misbehaves. */

const base = '/projects/default'
let app: TestApp
let receiver: WebhookReceiver
let provider: Awaited<ReturnType<typeof startMisbehavingProvider>>
beforeAll(async () => {
  provider = await startMisbehavingProvider()
  receiver = await startWebhookReceiver()
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: provider.folder } })
  await made('POST', '/destinations', { name: 'hook', type: 'webhook', metadata: { url: receiver.url } })
  const integrations = Object.values(providerNames).map(
    (name) => `
  - name: ${name}
    provider: ${name}
    read: { objects: [{ objectName: things, destination: hook, optionalFieldsAuto: all }] }
    write: { objects: [{ objectName: things }] }
    proxy: { enabled: true }`,
  )
  await made('PUT', '/integrations:batch', { sourceYaml: `specVersion: 1.0.0\nintegrations:${integrations.join('')}` })
})
afterAll(async () => {
  await app?.stop()
  await receiver?.close()
  await provider?.close()
})

interface Answer {
  id: string
  operationId: string
  detail: string
  context: { code: string }
  errors?: { message: string }[]
}

async function made(method: string, path: string, body: unknown): Promise<Answer> {
  const answer = await app.call<Answer>(method, path.startsWith('//') ? path : `${base}${path}`, body)
  if (answer.status > 299) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** A customer whose provider misbehaves so. */
async function install(misbehavior: Misbehavior) {
  const { name: groupRef, token } = misbehavior
  const name = token === undefined ? providerNames.keyed : providerNames.tokened
  const credential =
    token === undefined ? { apiKey: 'any' } : { oauth2ClientCredentials: { clientId: 'us', clientSecret: 'secret' } }
  const url = provider.urlOf(misbehavior)
  await made('POST', '/connections:generate', {
    provider: name,
    groupRef,
    consumerRef: groupRef,
    providerMetadata: { url },
    ...credential,
  })
  const content = {
    provider: name,
    read: { objects: { things: { objectName: 'things', selectedFieldsAuto: 'all' } } },
    write: { objects: { things: { objectName: 'things' } } },
    proxy: { enabled: true },
  }
  const { id } = await made('POST', `/integrations/${name}/installations?skipSampling=true`, {
    groupRef,
    config: { content },
  })
  return { name, groupRef, id }
}

const patience = { timeout: 20_000, interval: 50 }

/** What an operation logged of its first error; of one that fails, after its end. */
async function firstError(id: string, { fails }: { fails: boolean }): Promise<string> {
  return vi.waitUntil(async () => {
    const { status } = (await app.call<{ status: string }>('GET', `${base}/operations/${id}`)).body
    const log = JSON.stringify((await app.call('GET', `${base}/operations/${id}/logs`)).body)
    const isThere = fails ? status === 'failure' : /"severity":"(?:WARNING|ERROR)"/.test(log)
    return isThere ? log : undefined
  }, patience)
}

describe.concurrent('a provider that misbehaves', () => {
  test.each(misbehaviors)('$name: $kind', async (misbehavior) => {
    const { kind, says, passes } = misbehavior
    const row: FailureRow = failureTable[kind]
    const { name, groupRef, id } = await install(misbehavior)

    const read = await made('POST', `//read/v1${base}/integrations/${name}/objects/things`, { groupRef, mode: 'async' })
    const waits = row.read === 'retry' || row.read === 'wait'
    const fails = row.read === 'fail' || row.read === 'reconnect'
    const log = await firstError(read.operationId, { fails })
    expect(log).toMatch(says)
    expect(/Waits \d+ s after an error/.test(log)).toBe(waits)

    const problem = (answer: { status: number; body: Answer }) => {
      expect(answer).toMatchObject({ body: { context: { code: row.problem }, detail: expect.stringMatching(says) } })
    }
    const search = { objectName: 'things', fieldFilters: [{ fieldName: 'id', operator: 'eq', value: '1' }] }
    problem(await app.call<Answer>('POST', `//search/v1${base}/integrations/${name}?groupRef=${groupRef}`, search))
    problem(await app.call<Answer>('GET', `${base}/integrations/${name}/objects/things/metadata?groupRef=${groupRef}`))

    const write = { groupRef, mode: 'synchronous', type: 'create', record: { id: 'x' } }
    const written = await app.call<Answer>('POST', `//write/v1${base}/integrations/${name}/objects/things`, write)
    const [status, success] = misbehavior.writes ? [200, true] : [422, false]
    expect(written).toMatchObject({ status, body: { result: { success } } })
    const refusal = JSON.stringify(written.body.errors)
    if (!success) expect(refusal).toMatch(row.mayBeDone ? /is not known/ : says)

    const proxied = await fetch(`${app.url}/proxy/things`, {
      headers: {
        'x-amp-proxy-version': '1',
        'x-amp-project-id': app.projectId,
        'x-amp-installation-id': id,
        'x-api-key': app.apiKey,
      },
      redirect: 'manual',
    })
    if (passes !== undefined) expect(proxied.status).toBe(passes)
    else expect(await proxied.json()).toMatchObject({ context: { code: row.proxy } })
    await proxied.body?.cancel().catch(() => undefined)
  })
})
