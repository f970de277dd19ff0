import { resolve } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { agentManifest, type ResultBody, startToolsKit, type ToolsKit } from '../../../testkit/tools-kit.ts'

const sampleProviders = resolve(import.meta.dirname, '../../../../../../examples/sample-crm/providers')
const patience = { timeout: 10_000 }
const id = 'con_0000002'
let kit: ToolsKit
let other: TestApp
beforeAll(async () => {
  kit = await startToolsKit()
  other = await startTestNode(kit.app, { MORTISE_PROVIDERS_DIR: sampleProviders })
})
afterAll(async () => {
  await other?.stop()
  await kit?.stop()
})

async function callOther(groupRef: string, name = 'get_people', args: object = { id }): Promise<ResultBody> {
  const body = { groupRef, arguments: args }
  const answer = await other.call<ResultBody>('POST', `${kit.base}/tools/${name}:call`, body)
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return answer.body
}
const codeOf = ({ content }: ResultBody) => content.error?.code
const recordOf = ({ content }: ResultBody) => content.providerData?.record

async function installationOf(groupRef: string): Promise<string> {
  const { body } = await kit.app.call<{ id: string }[]>('GET', `${kit.path()}?groupRef=${groupRef}`)
  return body[0]!.id
}

test('a call that reads runs no statement of its own once its tools are known', async () => {
  const group = await kit.group({}, { agent: { limits: { callsPerMinute: 6_000 } } })
  for (let n = 0; n < 50; n++) await kit.call(group, 'get_people', { id })
  const query = vi.spyOn(pg.Client.prototype, 'query')
  for (let n = 0; n < 200; n++) expect((await kit.call(group, 'get_people', { id })).isError).toBe(false)
  const statements = query.mock.calls.map(([text]) => JSON.stringify(text))
  query.mockRestore()
  const ofCalls = statements.filter((text) => /md5\(string_agg|from installations|tool_windows/.test(text))
  expect(ofCalls.length).toBeLessThan(20)
  // Stored in batches.
  expect(statements.filter((text) => text.includes('insert into operation_logs')).length).toBeLessThan(150)
})

describe('a change on one node', () => {
  test('of rules applies to the next call there, and to the other node within a moment', async () => {
    const group = await kit.group()
    expect(recordOf(await kit.call(group, 'get_people', { id }))).toHaveProperty('email')
    expect(recordOf(await callOther(group))).toHaveProperty('email')
    await kit.deploy(agentManifest({ hiddenFields: ['email'] }))
    expect(recordOf(await kit.call(group, 'get_people', { id }))).not.toHaveProperty('email')
    await expect.poll(async () => recordOf(await callOther(group)), patience).not.toHaveProperty('email')
  })

  test('of a limit applies to the next call', async () => {
    const group = await kit.group({}, { agent: { limits: { callsPerMinute: 50 } } })
    for (let n = 0; n < 3; n++) expect((await kit.call(group, 'get_people', { id })).isError).toBe(false)
    await kit.deploy(agentManifest({}, { agent: { limits: { callsPerMinute: 2 } } }))
    expect(codeOf(await kit.call(group, 'get_people', { id }))).toBe('limit_reached')
  })

  test('that uninstalls ends reads there, writes everywhere at once, and reads elsewhere within a moment', async () => {
    const group = await kit.group()
    for (const call of [kit.call(group, 'get_people', { id }), callOther(group)])
      expect((await call).isError).toBe(false)
    const removed = await kit.app.call('DELETE', `${kit.path()}/${await installationOf(group)}`)
    expect(removed.status, JSON.stringify(removed.body)).toBe(204)
    const changed = await callOther(group, 'update_people', { id, fields: { score: 1 } })
    expect(codeOf(changed)).toBe('not_connected')
    expect(codeOf(await kit.call(group, 'get_people', { id }))).toBe('not_connected')
    await expect.poll(async () => codeOf(await callOther(group)), patience).toBe('not_connected')
  })

  test('of a config applies to the next call there, and to the other node within a moment', async () => {
    const group = await kit.group()
    expect((await kit.call(group, 'list_people', { limit: 1 })).isError).toBe(false)
    expect((await callOther(group, 'list_people', { limit: 1 })).isError).toBe(false)
    const change = { config: { content: { read: { objects: { contacts: { disabled: true } } } } } }
    const mask = ['config.content.read.objects.contacts.disabled']
    const updated = await kit.update(await installationOf(group), mask, change)
    expect(updated.status, JSON.stringify(updated.body)).toBe(200)
    expect(codeOf(await kit.call(group, 'list_people', { limit: 1 }))).toBe('not_possible')
    await expect
      .poll(async () => codeOf(await callOther(group, 'list_people', { limit: 1 })), patience)
      .toBe('not_possible')
  })

  test('that deletes a group ends its calls on the other node', async () => {
    const group = await kit.group()
    expect((await callOther(group)).isError).toBe(false)
    const erased = await kit.app.call('DELETE', `${kit.base}/groups/${group}`)
    expect(erased.status, JSON.stringify(erased.body)).toBeLessThan(300)
    await expect.poll(async () => codeOf(await callOther(group)), { timeout: 30_000 }).toBe('not_connected')
  })

  test('that installs is seen by the next call on every node', async () => {
    await kit.group()
    expect(codeOf(await callOther('newcomer'))).toBe('not_connected')
    await kit.connect('newcomer')
    const content = { provider: 'sampleCrm', read: { objects: { contacts: { selectedFieldsAuto: 'all' } } } }
    const made = await kit.app.call('POST', kit.path(), { groupRef: 'newcomer', config: { content } })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect((await callOther('newcomer')).isError).toBe(false)
  })
})

test('a notification that is lost costs a node at most twenty seconds', async () => {
  const group = await kit.group()
  expect((await callOther(group)).isError).toBe(false)
  const owner = new pg.Client({ connectionString: kit.app.testDatabase.url, options: '-c search_path=mortise' })
  await owner.connect()
  await owner.query('alter table installations disable trigger publish_tools')
  try {
    await kit.app.call('DELETE', `${kit.path()}/${await installationOf(group)}`)
    other.clock.advance(20_000)
    await expect.poll(async () => codeOf(await callOther(group)), patience).toBe('not_connected')
  } finally {
    await owner.query('alter table installations enable trigger publish_tools')
    await owner.end()
  }
})
