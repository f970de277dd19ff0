import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiEndpoints } from '../packages/server/src/features/index.ts'
import type { Endpoint } from '../packages/server/src/kernel/http/index.ts'
import { readEvents } from '../packages/server/src/testkit/read-events.ts'
import { startTestApp, startTestNode, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { signInBuilder } from '../packages/server/src/testkit/test-builder.ts'
import { insertProject } from '../packages/server/src/testkit/test-project.ts'

/** An open stream of events ends with what opened it, on every node, whichever node was asked to end it. */

let app: TestApp
let other: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  other = await startTestNode(app, { MORTISE_ROLES: 'api' })
})
afterAll(async () => {
  await other?.stop()
  await app?.stop()
})

const streams = (apiEndpoints as Endpoint[]).filter(({ declaration }) => declaration.produces === 'text/event-stream')
/** Of a whole project: they need nothing that exists. */
const ofProject = streams.map(({ declaration }) => declaration).filter(({ path }) => !path.includes('{operationId}'))

/** Opens every stream of a project on both nodes. */
async function openAll(project: string, headers: Record<string, string>) {
  const opened = await Promise.all(
    [app, other].flatMap(({ url }) =>
      ofProject.map(({ path }) => readEvents(addressOf(url, path.replace('{projectIdOrName}', project)), headers)),
    ),
  )
  for (const { status } of opened) expect(status).toBe(200)
  return opened
}
/** The stream of MCP is outside `/v1`, and of a group. */
const addressOf = (url: string, path: string) =>
  path.startsWith('//') ? `${url}${path.slice(1)}?groupRef=acme` : `${url}/v1${path}`
const ended = (opened: Awaited<ReturnType<typeof openAll>>) => Promise.all(opened.map((stream) => stream.ended))
const database = () => app.app.services.database.system

it('there are streams', () => {
  expect(ofProject.length).toBeGreaterThanOrEqual(2)
})

describe('streams of an API key end when the key', () => {
  const makeKey = async (scopes = ['full']) => {
    const { status, body } = await app.call<{ id: string; key: string }>('POST', '/projects/default/api-keys', {
      label: randomUUID(),
      scopes,
    })
    expect(status).toBe(201)
    return body
  }
  const patch = (id: string, apiKey: object) =>
    app.call('PATCH', `/projects/default/api-keys/${id}`, { updateMask: Object.keys(apiKey), apiKey })

  it.each<[string, (id: string) => Promise<{ status: number }>]>([
    ['is deleted', (id) => app.call('DELETE', `/projects/default/api-keys/${id}`)],
    ['is deactivated', (id) => patch(id, { active: false })],
    ['loses its scope', (id) => patch(id, { scopes: ['frontend'] })],
  ])('%s', async (_, change) => {
    const { id, key } = await makeKey()
    const opened = await openAll('default', { 'x-api-key': key })
    const { status } = await change(id)
    expect(status).toBeLessThan(300)
    await ended(opened)
  })

  it('goes with its project', async () => {
    const project = await insertProject({ database: app.testDatabase.database, keyring: app.keyring, name: 'short' })
    const opened = await openAll('short', { 'x-api-key': project.apiKey })
    await sql`delete from projects where id = ${project.id}`.execute(database())
    await ended(opened)
  })

  it('of somebody else are left alone', async () => {
    const { id, key } = await makeKey()
    const opened = await openAll('default', { 'x-api-key': key })
    const kept = await openAll('default', { 'x-api-key': app.apiKey })
    let isOver = false
    void ended(kept).then(() => {
      isOver = true
    })
    await app.call('DELETE', `/projects/default/api-keys/${id}`)
    await ended(opened)
    expect(isOver).toBe(false)
    await Promise.all(kept.map((stream) => stream.close()))
  })
})

describe('streams of a person end when', () => {
  const signIn = () => signInBuilder(app, { email: `${randomUUID()}@example.com`, role: 'developer' })

  it('the session ends', async () => {
    const { headers, builderId } = await signIn()
    const opened = await openAll('default', headers)
    await sql`delete from sessions where builder_id = ${builderId}`.execute(database())
    await ended(opened)
  })

  it('the membership ends', async () => {
    const { headers, builderId } = await signIn()
    const opened = await openAll('default', headers)
    await sql`delete from memberships where builder_id = ${builderId}`.execute(database())
    await ended(opened)
  })

  it('the token expires', async () => {
    const { headers } = await signIn()
    const opened = await openAll('default', headers)
    for (const node of [app, other]) node.clock.advance(30 * 60_000)
    await ended(opened)
  })
})
