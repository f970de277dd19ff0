import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { type EventReader, readEvents } from '../../../testkit/read-events.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { logOperation } from './index.ts'
import { logsTopic } from './logs-topic.ts'
import type { StreamedLog } from './model.ts'

/** Milliseconds, for a busy machine. */
const patience = 20_000
let app: TestApp
const open: EventReader<StreamedLog>[] = []
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((stream) => stream.close()))
})
afterAll(() => app?.stop())

/** An operation; nothing else of its installation matters here. */
async function begin(installationId = newId()) {
  const id = newId()
  await sql`
    insert into operations (project_id, id, integration_id, installation_id, config_id, action_type, resource, status)
    values (${app.projectId}, ${id}, ${newId()}, ${installationId}, ${newId()}, 'read', 'contacts', 'in_progress')`.execute(
    app.db.sql,
  )
  return { id, installationId }
}
const log = (operationId: string, severity: 'INFO' | 'ERROR', ...msgs: string[]) =>
  logOperation(app.db, app.app.services, operationId, ...msgs.map((msg) => ({ severity, msg })))

async function follow(path: string, lastEventId?: string) {
  const stream = await readEvents<StreamedLog>(`${app.url}/v1/projects/default/${path}`, {
    'x-api-key': app.apiKey,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  })
  expect(stream.status).toBe(200)
  open.push(stream)
  const topic = logsTopic(app.projectId)
  await vi.waitFor(() => expect(app.app.services.pubsub.subscriptions(topic)).toBe(open.length), patience)
  await vi.waitFor(async () => {
    const { rows } = await sql`select from watches where topic = ${topic.channel}`.execute(
      app.app.services.database.system,
    )
    expect(rows.length).toBeGreaterThan(0)
  }, patience)
  return stream
}
const said = (stream: EventReader<StreamedLog>) => stream.events.map(({ data }) => data.message.msg)

describe('a stream of logs', () => {
  it('of an operation begins with what there is, and goes on with what is written', async () => {
    const [mine, other] = [await begin(), await begin()]
    await log(mine.id, 'INFO', 'one', 'two')
    const stream = await follow(`operations/${mine.id}/logs:stream`)
    await stream.until(({ length }) => length === 2)
    await log(other.id, 'INFO', 'not mine')
    await log(mine.id, 'ERROR', 'three')
    await stream.until(({ length }) => length === 3)
    expect(said(stream)).toEqual(['one', 'two', 'three'])
    expect(stream.events[2]).toEqual({
      id: stream.events[2]?.data.id,
      event: 'log',
      data: {
        id: expect.any(String),
        operationId: mine.id,
        installationId: mine.installationId,
        resource: 'contacts',
        timestamp: expect.any(String),
        severity: 'ERROR',
        message: { msg: 'three', operation_id: mine.id },
      },
    })
  })

  it('goes on behind the last line that was had', async () => {
    const { id } = await begin()
    await log(id, 'INFO', ...Array.from({ length: 1_500 }, (_, n) => `line ${n}`))
    const first = await follow(`operations/${id}/logs:stream`)
    await first.until(({ length }) => length >= 700)
    const at = first.events[699]!
    const second = await follow(`operations/${id}/logs:stream`, at.id)
    await second.until((events) => events.at(-1)?.data.message.msg === 'line 1499')
    const all = new Set([...first.events.slice(0, 700), ...second.events].map(({ data }) => data.message.msg))
    expect(all.size).toBe(1_500)
    expect(second.events.some(({ data }) => data.id === at.data.id)).toBe(false)
  })

  it('of the project holds every operation from now on, by severity and nothing of another project', async () => {
    const [one, two] = [await begin(), await begin()]
    // Nobody watches: else what was told of it could be heard only after the streams have begun.
    await sql`delete from watches`.execute(app.app.services.database.system)
    await log(one.id, 'ERROR', 'before')
    const all = await follow('logs:stream')
    const grave = await follow('logs:stream?severity=WARNING')
    const theirs = app.app.services.database.forProject(app.otherProject.id)
    const foreign = newId()
    await sql`
      insert into operations (project_id, id, integration_id, installation_id, config_id, action_type, status)
      values (${app.otherProject.id}, ${foreign}, ${newId()}, ${newId()}, ${newId()}, 'read', 'in_progress')`.execute(
      theirs.sql,
    )
    await logOperation(theirs, app.app.services, foreign, { severity: 'ERROR', msg: 'theirs' })
    await log(one.id, 'INFO', 'small')
    await log(two.id, 'ERROR', 'large')
    await all.until(({ length }) => length === 2)
    await grave.until(({ length }) => length === 1)
    expect([said(all), said(grave)]).toEqual([['small', 'large'], ['large']])
  })

  it('of what is not there is a 404', async () => {
    const codes: string[] = []
    for (const path of [
      `operations/${newId()}/logs:stream`,
      'operations/none/logs:stream',
      `logs:stream?installationId=${newId()}`,
      'logs:stream?installationId=none',
    ]) {
      const answer = await app.call<{ context: { code: string } }>('GET', `/projects/default/${path}`)
      codes.push(`${answer.status} ${answer.body.context.code}`)
    }
    expect(codes).toEqual([
      '404 operation-not-found',
      '404 operation-not-found',
      '404 operation-installation-not-found',
      '404 operation-installation-not-found',
    ])
    expect((await app.call('GET', '/projects/default/logs:stream?severity=LOUD')).status).toBe(400)
  })
})
