import { resolve } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startTestNode } from '../../../testkit/test-app.ts'
import { agentManifest, type ResultBody, startToolsKit, type ToolsKit } from '../../../testkit/tools-kit.ts'

let kit: ToolsKit
// Names are kept for ever, so each test has its own project.
beforeEach(async () => {
  kit = await startToolsKit()
})
afterEach(() => kit?.stop())

const actions = ['list', 'update']
const deploy = (name: string, rules: object = {}) => kit.deploy(agentManifest({ actions, ...rules }, { name }))
const remove = async (name: string) => {
  const { status, body } = await kit.app.call('DELETE', `${kit.base}/integrations/${name}`)
  expect(status, JSON.stringify(body)).toBe(204)
}

/** Installs for a group. Returns the id of the installation. */
async function install(group: string, name: string): Promise<string> {
  const content = {
    provider: 'sampleCrm',
    read: { objects: { contacts: { selectedFieldsAuto: 'all', selectedFieldMappings: { lifecycle: 'stage' } } } },
    write: { objects: { contacts: {} } },
  }
  const made = await kit.app.call<{ id: string }>('POST', kit.path(name), { groupRef: group, config: { content } })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body.id
}

const named = async (group: string) => (await kit.tools(group)).map(({ name }) => name)
/** The installation whose account a call reached; undefined if it reached none. */
async function reached(group: string, name: string): Promise<string | undefined> {
  const { operationId, isError } = await kit.call(group, name, { limit: 1 })
  if (operationId === undefined || isError) return undefined
  const path = `${kit.base}/operations/${operationId}`
  let installationId: string | undefined
  await expect
    .poll(async () => {
      const { body } = await kit.app.call<{ installationId?: string }>('GET', path)
      installationId = body.installationId
      return installationId
    })
    .toBeDefined()
  return installationId
}
const statusOf = async (group: string, name: string) =>
  (await kit.app.call('POST', `${kit.base}/tools/${name}:call`, { groupRef: group, arguments: { limit: 1 } })).status
const codeOf = async (group: string, name: string) => (await kit.call(group, name, { limit: 1 })).content.error?.code

describe('the name of a tool', () => {
  test('calls the same account after a second integration is deployed and installed', async () => {
    await deploy('first')
    await kit.connect('acme')
    const first = await install('acme', 'first')
    expect(await named('acme')).toEqual(['list_people', 'update_people'])
    await deploy('second')
    const second = await install('acme', 'second')
    expect(await named('acme')).toEqual(['list_people', 'update_people', 'list_people_second', 'update_people_second'])
    expect(await reached('acme', 'list_people')).toBe(first)
    expect(await reached('acme', 'list_people_second')).toBe(second)
    expect(await statusOf('acme', 'list_people_first')).toBe(404)
  })

  test('reaches no other account when the customer uninstalls its integration', async () => {
    await deploy('first')
    await deploy('second')
    await kit.connect('acme')
    const first = await install('acme', 'first')
    await install('acme', 'second')
    expect(await reached('acme', 'list_people')).toBe(first)
    expect((await kit.app.call('DELETE', `${kit.path('first')}/${first}`)).status).toBe(204)
    expect(await codeOf('acme', 'list_people')).toBe('not_connected')
    expect(await named('acme')).toEqual(['list_people_second', 'update_people_second'])
  })

  test('reaches no other account when its integration is deleted, also after later deploys', async () => {
    await deploy('first')
    await deploy('second')
    await kit.connect('acme')
    const second = await install('acme', 'second')
    await remove('first')
    expect(await statusOf('acme', 'list_people')).toBe(404)
    await deploy('third')
    await install('acme', 'third')
    await deploy('second', { description: 'Changed.' })
    expect(await statusOf('acme', 'list_people')).toBe(404)
    expect(await named('acme')).toEqual([
      'list_people_second',
      'update_people_second',
      'list_people_third',
      'update_people_third',
    ])
    expect(await reached('acme', 'list_people_second')).toBe(second)
    await deploy('first')
    expect(await codeOf('acme', 'list_people')).toBe('not_connected')
    const again = await install('acme', 'first')
    expect(await reached('acme', 'list_people')).toBe(again)
  })

  test('is the long one for both if they are deployed together, and stays it without the other', async () => {
    const integrations = ['first', 'second'].flatMap(
      (name) => JSON.parse(agentManifest({ actions }, { name })).integrations,
    )
    await kit.deploy(JSON.stringify({ specVersion: '1.0.0', integrations }))
    await kit.connect('acme')
    const first = await install('acme', 'first')
    expect(await named('acme')).toEqual(['list_people_first', 'update_people_first'])
    await remove('second')
    expect(await named('acme')).toEqual(['list_people_first', 'update_people_first'])
    expect(await reached('acme', 'list_people_first')).toBe(first)
  })

  test('works on when the builder calls the object otherwise, and no other object gets it', async () => {
    await deploy('first')
    await kit.connect('acme')
    const first = await install('acme', 'first')
    const renamed = agentManifest({ actions }, { name: 'first' }).replace('"people"', '"clients"')
    await kit.deploy(renamed)
    expect(await named('acme')).toEqual(['list_clients', 'update_clients'])
    expect(await reached('acme', 'list_people')).toBe(first)
    await deploy('second')
    const second = await install('acme', 'second')
    expect(await reached('acme', 'list_people')).toBe(first)
    expect(await reached('acme', 'list_people_second')).toBe(second)
  })

  test('is the same on two nodes that name tools of an earlier release at the same time', async () => {
    await deploy('first')
    await deploy('second')
    await kit.connect('acme')
    await install('acme', 'first')
    await install('acme', 'second')
    const { rows } = await sql<{ count: number }>`
      with gone as (delete from mortise.tool_names returning 1) select count(*)::int as count from gone`.execute(
      kit.app.db.sql,
    )
    expect(rows[0]?.count).toBe(4)
    const providers = resolve(import.meta.dirname, '../../../../../../examples/sample-crm/providers')
    const other = await startTestNode(kit.app, { MORTISE_PROVIDERS_DIR: providers })
    const path = `${kit.base}/tools?groupRef=acme`
    const lists = await Promise.all(
      [kit.app, other].map(async (app) =>
        (await app.call<{ name: string }[]>('GET', path)).body.map(({ name }) => name),
      ),
    )
    await other.stop()
    expect(lists[0]).toEqual(lists[1])
    expect(new Set(lists[0]).size).toBe(4)
  })
})

describe('an approval', () => {
  const rules = { confirm: { update: 'approval' } }
  const id = 'con_0000007'
  const score = () => kit.crm.contact(id)?.score
  const ask = async () => {
    const asked: ResultBody = await kit.call('acme', 'update_people', { id, fields: { score: 42 } })
    return `${kit.base}/approvals/${asked.content.approvalId}`
  }

  test('stays valid when a second integration gets tools of the name', async () => {
    await deploy('first', rules)
    await kit.connect('acme')
    const first = await install('acme', 'first')
    const path = await ask()
    await deploy('second')
    await install('acme', 'second')
    const approved = await kit.app.call<{ installationId: string }>('POST', `${path}:approve`, {})
    expect(approved, JSON.stringify(approved.body)).toMatchObject({
      status: 200,
      body: { status: 'done', installationId: first },
    })
    expect(score()).toBe(42)
  })

  test('never runs in the account of another integration that wants its name', async () => {
    await deploy('first', rules)
    await kit.connect('acme')
    await install('acme', 'first')
    const path = await ask()
    const before = score()
    await remove('first')
    await deploy('second', rules)
    await kit.connect('acme')
    await install('acme', 'second')
    expect((await kit.app.call('POST', `${path}:approve`, {})).status).toBe(404)
    expect(await statusOf('acme', 'update_people')).toBe(404)
    expect(score()).toBe(before)
  })
})
