import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OddAnswer, type OddFront, startOddFront } from './odd-answers.testkit.ts'
import { type Installed, type ReadingKit, startReadingKit } from './reading.testkit.ts'

/** A provider that answers a page with something else never ends a backfill by it. */

let kit: ReadingKit
let front: OddFront
beforeAll(async () => {
  kit = await startReadingKit()
  front = await startOddFront(kit.crm.url, fetch)
})
afterAll(async () => {
  await kit.stop()
  await front.close()
})

const html = { 'content-type': 'text/html; charset=utf-8' }
const json = { 'content-type': 'application/json' }
const maintenance: OddAnswer = { headers: html, body: '<html><head><title>Back soon</title></head></html>' }
const fullHistory = { backfill: { defaultPeriod: { fullHistory: true } } }

function install(): Promise<Installed> {
  return kit.install({ object: fullHistory, url: front.url, skipSampling: true })
}

function idsOf({ installationId }: Installed): Set<string> {
  const bodies = kit.receiver.bodies as { installationId: string; result: { raw: { id: string } }[] }[]
  const own = bodies.filter((message) => message.installationId === installationId)
  return new Set(own.flatMap(({ result }) => result.map(({ raw }) => raw.id)))
}

async function newest(installed: Installed) {
  return kit.until(async () => {
    const [operation] = await kit.operations(installed)
    return operation && operation.status !== 'in_progress' ? operation : undefined
  })
}

async function logOf(operationId: string): Promise<string> {
  const { body } = await kit.app.call('GET', `/projects/default/operations/${operationId}/logs`)
  return JSON.stringify(body)
}

/** All lines of a log, with those of pages. */
async function debugLinesOf(operationId: string) {
  const { body } = await kit.app.call<{ severity: string; message: { details?: Record<string, string> } }[]>(
    'GET',
    `/projects/default/operations/${operationId}/logs?severity=DEBUG`,
  )
  return body.map(({ severity, message: { details } }) => ({ severity, details }))
}

async function installationOf({ name, installationId }: Installed) {
  const path = `/projects/default/integrations/${name}/installations/${installationId}`
  return (await kit.app.call<{ healthStatus: string; healthReasons?: string[] }>('GET', path)).body
}

function trigger({ name, groupRef }: Installed, body: Record<string, unknown>) {
  return kit.app.call<{ operationId: string; issues?: { name: string }[] }>(
    'POST',
    `//read/v1/projects/default/integrations/${name}/objects/contacts`,
    { groupRef, mode: 'async', ...body },
  )
}

describe('a page that is not what the file declares', () => {
  it.each([
    ['HTML', maintenance, 'titled \\"Back soon\\"'],
    ['a redirect to a page', { status: 302, headers: { location: '/login?next=1' } }, 'redirects to \\"/login\\"'],
    ['an empty body', { headers: json }, 'an empty body'],
    ['half of a JSON', { headers: json, body: '{"data": [{"id":' }, 'cut or malformed'],
    ['a list for an object', { headers: json, body: '[]' }, 'is not a list of records'],
    ['an object without records', { headers: json, body: '{"items": []}' }, 'is not a list of records'],
    ['an error under 200', { headers: json, body: '{"error": {"message": "Try later"}}' }, 'Try later'],
    ['no end', { headers: json, body: '{"data": [', breaksOff: true }, 'Waits'],
    ['404', { status: 404, headers: json, body: '{}' }, 'status 404'],
  ] satisfies [string, OddAnswer, string][])('is read again: %s', async (_, answer, said) => {
    await kit.quiet()
    front.order(answer, { afterPages: 2, times: 1 })
    const installed = await install()
    expect(await newest(installed)).toMatchObject({ status: 'success', result: '[contacts] 250 records read' })
    await kit.until(async () => idsOf(installed).size === 250)
    // Only the page itself is asked for again.
    expect(front.cursors).toHaveLength(4)
    expect(front.cursors[2]).toBe(front.cursors[3])
    const [{ id } = { id: '' }] = await kit.operations(installed)
    expect(await logOf(id)).toContain(said)
    const pages = (await debugLinesOf(id)).flatMap(({ details }) => (details?.['page'] === undefined ? [] : [details]))
    expect(
      pages.map(({ page, request, requests, status, records, messages }) => [
        page,
        request,
        requests,
        status,
        records,
        messages,
      ]),
    ).toEqual([
      ['1', 'GET /contacts', undefined, '200', '100', '1'],
      ['2', 'GET /contacts', undefined, '200', '100', '1'],
      ['3', 'GET /contacts', undefined, '200', '50', '1'],
    ])
    for (const { ms, bytes } of pages)
      expect([ms, bytes]).toEqual([expect.stringMatching(/^\d+$/), expect.stringMatching(/^[1-9]\d+$/)])
  })

  it('has the failed request in the line of its error', async () => {
    await kit.quiet()
    front.order({ status: 503, headers: json, body: '{}' }, { afterPages: 1, times: 1 })
    const { id } = await newest(await install())
    const lines = await debugLinesOf(id)
    expect(lines.map(({ severity, details }) => [severity, details?.['request'], details?.['status']])).toEqual([
      ['DEBUG', 'GET /contacts', '200'],
      ['WARNING', 'GET /contacts', '503'],
      ['DEBUG', 'GET /contacts', '200'],
      ['DEBUG', 'GET /contacts', '200'],
      ['INFO', undefined, undefined],
    ])
    expect(await logOf(id)).not.toContain('Page 1')
  })

  it('waits as long as Retry-After of any answer says', async () => {
    await kit.quiet()
    front.order({ status: 503, headers: { ...json, 'retry-after': '2' }, body: '{}' }, { afterPages: 1, times: 1 })
    const installed = await install()
    const { id } = await newest(installed)
    expect(await logOf(id)).toContain('Waits 2 s')
  })
})

describe('a backfill that cannot end', () => {
  it('is visible, and runs again from where it stood', async () => {
    await kit.quiet()
    front.order(maintenance, { afterPages: 2, times: Number.POSITIVE_INFINITY })
    const installed = await install()
    await kit.until(async () => {
      const { rows } = await sql<{ attempt: number }>`
        select attempt from read_runs where installation_id = ${installed.installationId}`.execute(kit.app.db.sql)
      return (rows[0]?.attempt ?? 0) > 0
    })
    // It has gone on for a day.
    await sql`update read_runs set first_error_at = now() - interval '25 hours', next_attempt_at = now()
               where installation_id = ${installed.installationId}`.execute(kit.app.db.sql)
    expect(await newest(installed)).toMatchObject({ status: 'failure', result: expect.stringContaining('Back soon') })
    expect(await installationOf(installed)).toMatchObject({
      healthStatus: 'unhealthy',
      healthReasons: [expect.stringMatching(/^\[contacts\] The backfill could not end: .*Back soon/)],
    })
    expect(idsOf(installed).size).toBeLessThan(250)

    front.order(maintenance, { afterPages: 0, times: 0 })
    const again = await trigger(installed, { backfill: true })
    expect(again.status).toBe(201)
    await kit.until(async () => idsOf(installed).size === 250)
    expect(await newest(installed)).toMatchObject({ id: again.body.operationId, status: 'success' })
    // The pages that were committed are not asked for again.
    expect(front.cursors).toEqual([expect.stringMatching(/./)])
    const healthy = await installationOf(installed)
    expect(healthy.healthStatus).toBe('healthy')
    expect(healthy.healthReasons).toBeUndefined()
  })

  it('begins again when it has ended well, and once while it is under way', async () => {
    await kit.quiet()
    front.order(maintenance, { afterPages: 0, times: 0 })
    const installed = await install()
    await newest(installed)
    front.order(maintenance, { afterPages: 0, times: 1 })
    const first = await trigger(installed, { backfill: true })
    const second = await trigger(installed, { backfill: true })
    expect(second.body.operationId).toBe(first.body.operationId)
    await kit.until(async () => (await kit.operations(installed))[0]?.status === 'success')
    // The first page, asked for twice, and the two others.
    expect(front.cursors.filter((cursor) => cursor === '')).toHaveLength(2)
  })

  it('is refused with every reason when it could not be run', async () => {
    const installed = await kit.install({ url: front.url, skipSampling: true })
    const { status, body } = await trigger(installed, { backfill: true, sinceTimestamp: '2026-01-01T00:00:00Z' })
    expect(status).toBe(400)
    expect(body.issues?.map(({ name }) => name).sort()).toEqual(['backfill', 'sinceTimestamp'])
  })
})
