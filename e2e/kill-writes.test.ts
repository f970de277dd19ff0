import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endAll, freePort, type MortiseProcess, startMortise } from './mortise-process.testkit.ts'
import { startSilentLedger } from './silent-ledger.testkit.ts'

/**
 * What was accepted is neither lost nor done twice when process, workers and database are gone at once, in the middle
 * of it.
 */

const groups = ['one', 'two', 'three']
const kinds = ['contacts', 'notes', 'deals']
const each = 8
const project = '/v1/projects/default'
const manifest = `
specVersion: 1.0.0
integrations:
  - name: ledger
    provider: silentLedger
    write: { objects: [${kinds.map((kind) => `{ objectName: ${kind} }`).join(', ')}] }
`
let dataDir: string
let ledger: Awaited<ReturnType<typeof startSilentLedger>>
let receiver: WebhookReceiver
let env: Record<string, string>
/** Ids of the messages that told of an end: what is delivered twice counts once. */
const told = new Set<string>()

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mortise-kill-writes-'))
  ledger = await startSilentLedger()
  receiver = await startWebhookReceiver({
    respond({ id, message }) {
      const { notificationType } = message as { notificationType?: string }
      if (notificationType === 'write.async.done') told.add(id ?? '')
      return { status: 204 }
    },
  })
  env = { MORTISE_DATA_DIR: dataDir, MORTISE_PROVIDERS_DIR: ledger.folder, PORT: String(await freePort()) }
})
afterAll(async () => {
  await endAll()
  await Promise.all([ledger?.close(), receiver?.close()])
  await rm(dataDir, { recursive: true, force: true })
})

const start = () => startMortise(env, { apiKey: async () => (await readFile(join(dataDir, 'api-key'), 'utf8')).trim() })

async function ok<T = { id: string }>(mortise: MortiseProcess, method: string, path: string, body?: unknown) {
  const answer = await mortise.call<T>(method, path, body)
  if (answer.status > 299) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

async function installAll(mortise: MortiseProcess): Promise<string[]> {
  const hook = { name: 'hook', type: 'webhook', metadata: { url: receiver.url } }
  const { id: destinationId } = await ok(mortise, 'POST', `${project}/destinations`, hook)
  const { id: topicId } = await ok(mortise, 'POST', `${project}/topics`, { name: 'writes' })
  const route = { eventType: 'write.async.done', topicId }
  await ok(mortise, 'POST', `${project}/notification-event-topic-routes`, route)
  await ok(mortise, 'POST', `${project}/topic-destination-routes`, { topicId, destinationId })
  await ok(mortise, 'PUT', `${project}/integrations:batch`, { sourceYaml: manifest })
  const objects = Object.fromEntries(kinds.map((objectName) => [objectName, { objectName }]))
  const installed: string[] = []
  for (const groupRef of groups) {
    const account = { provider: 'silentLedger', apiKey: 'any', providerMetadata: { url: ledger.url } }
    await ok(mortise, 'POST', `${project}/connections:generate`, { groupRef, consumerRef: groupRef, ...account })
    const config = { content: { provider: 'silentLedger', write: { objects } } }
    const path = `${project}/integrations/ledger/installations`
    installed.push((await ok(mortise, 'POST', path, { groupRef, config })).id)
  }
  return installed
}

interface Operation {
  id: string
  status: string
  resource: string
  result: string
}

async function operationsOf(mortise: MortiseProcess, installed: string[]): Promise<Operation[]> {
  const lists = installed.map((id) => {
    const path = `${project}/integrations/ledger/installations/${id}/operations?pageSize=100`
    return ok<{ results: Operation[] }>(mortise, 'GET', path)
  })
  return (await Promise.all(lists)).flatMap(({ results }) => results)
}

it('asynchronous writes that are killed in the middle end once each, and are sent twice only where that does no harm', async () => {
  const first = await start()
  const installed = await installAll(first)
  const write = (groupRef: string, kind: string, at: number) => {
    const name = `${groupRef}-${kind}-${at}`
    const isUpdate = kind === 'deals'
    const record = { name, ...(isUpdate && { id: name }) }
    const body = { groupRef, type: isUpdate ? 'update' : 'create', mode: 'asynchronous', record }
    return ok<{ operationId: string }>(first, 'POST', `/write${project}/integrations/ledger/objects/${kind}`, body)
  }
  const lanes = groups.flatMap((groupRef) => kinds.map((kind) => ({ groupRef, kind })))
  const accepted: string[] = []
  const send = async (from: number, to: number) => {
    const wanted = lanes.flatMap(({ groupRef, kind }) =>
      Array.from({ length: to - from }, (_, at) => write(groupRef, kind, from + at)),
    )
    // What the kill cut off was not accepted, as far as its caller knows.
    for (const answer of await Promise.allSettled(wanted))
      if (answer.status === 'fulfilled') accepted.push(answer.value.operationId)
  }
  await send(0, each / 2)
  // From now on everything is done, and nobody is told: in each lane one write is under way when the process dies.
  ledger.silent(true)
  await send(each / 2, each - 1)
  await expect.poll(ledger.unanswered, { timeout: 20_000 }).toBe(lanes.length)
  const cutOff = send(each - 1, each)
  await first.end('SIGKILL')
  await cutOff
  ledger.silent(false)

  const second = await start()
  await expect
    .poll(async () => (await operationsOf(second, installed)).filter(({ status }) => status === 'in_progress'), {
      timeout: 60_000,
      interval: 250,
    })
    .toEqual([])
  const operations = await operationsOf(second, installed)
  await expect.poll(() => told.size, { timeout: 20_000 }).toBe(operations.length)

  expect(operations.map(({ id }) => id)).toEqual(expect.arrayContaining(accepted))
  const failed = operations.filter(({ status }) => status !== 'success')
  expect(failed.map(({ resource }) => resource)).toEqual(groups.map(() => 'contacts'))
  for (const { result } of failed) expect(result).toContain('is not known')
  const sent = (kind: string) => ledger.writes.filter((seen) => seen.kind === kind)
  const names = (kind: string) => sent(kind).map(({ name }) => name)
  const of = (kind: string) => operations.filter(({ resource }) => resource === kind).length
  // Each new record once; what can be repeated was, where nobody knew.
  expect([new Set(names('contacts')).size, names('contacts').length]).toEqual([of('contacts'), of('contacts')])
  for (const kind of ['notes', 'deals'])
    expect([new Set(names(kind)).size, names(kind).length]).toEqual([of(kind), of(kind) + groups.length])
  // A repeated record has the same key.
  expect(new Set(sent('notes').map(({ name, key }) => `${name} ${key}`)).size).toBe(of('notes'))
  expect(new Set(sent('notes').map(({ key }) => key)).size).toBe(of('notes'))
  await second.end('SIGTERM')
}, 300_000)
