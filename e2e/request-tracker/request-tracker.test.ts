import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  patience,
  type ReadingOfApplication,
  readApplication,
  sorted,
  waitMs,
} from '../debian/read-application.testkit.ts'
import { type Relay, startRelay } from '../debian/relay.testkit.ts'
import { placesOf, untilRetrying, useApplication } from '../debian/use-application.testkit.ts'
import { areasField, type SeededUser, seed, seededTickets, userZones } from './seed.ts'
import { type RequestTracker, startRequestTracker } from './start-request-tracker.ts'

const enabled = process.env['MORTISE_E2E_REQUEST_TRACKER'] === '1'
if (!enabled) {
  console.log(
    'The end-to-end test with Request Tracker is skipped: run e2e/request-tracker/install.sh, then set MORTISE_E2E_REQUEST_TRACKER=1.',
  )
}

const fileUrl = new URL('../../packages/providers/providers/requestTracker.yaml', import.meta.url)
const manifestUrl = new URL('../../examples/manifests/request-tracker.yaml', import.meta.url)

const queryOf = (url: string) => new URL(url, 'http://rt').searchParams.get('query')

describe.skipIf(!enabled)('a Request Tracker', { timeout: 2 * waitMs }, () => {
  const groupRef = 'acme'
  const started = new AsyncDisposableStack()
  let rt: RequestTracker
  let relay: Relay
  let world: ReadingOfApplication
  let acme: ReturnType<typeof useApplication>
  let connectionId: string
  let installationId: string
  /** Whose tokens the next connections have. */
  let zone: string = userZones.newYork

  beforeAll(async () => {
    rt = started.use(await startRequestTracker(seed))
    relay = started.use(await startRelay(rt.url))
    world = await readApplication({
      manifest: await readFile(manifestUrl, 'utf8'),
      destination: 'ticketWebhook',
      provider: 'requestTracker',
      authScheme: 'apiKey',
      credential: (apiKey) => ({ apiKey, providerMetadata: { url: relay.url, timeZone: zone } }),
      idOf: ({ id }) => String(id),
    })
    started.defer(() => world.stop())
    acme = useApplication(world, groupRef)

    // RT ends in the middle of the backfill, and comes back.
    connectionId = await world.connect(groupRef, tokenOf('newYork'), 'working')
    const ended = relay.before((url) => queryOf(url) === 'id > 200', rt.stop)
    installationId = await world.install(groupRef, connectionId, everything)
    await ended
    await untilRetrying(world, installationId, 'tickets')
    await rt.start()
    await world.untilDelivered(groupRef, 'tickets', 'backfill', seededTickets)
  }, 4 * waitMs)
  afterAll(() => started.disposeAsync())

  const everything = {
    read: { objects: { tickets: { selectedFieldsAuto: 'all' }, queues: {}, users: {} } },
    write: { objects: { tickets: { deletionSettings: { enabled: true } } } },
  }
  const tokenOf = (user: SeededUser | 'root') => rt.tokens[user] ?? ''
  const ticket = (id: string) => rt.rest<Record<string, unknown>>('GET', `/ticket/${id}`)
  const makeTicket = async (record: object) =>
    (await rt.rest<{ id: string }>('POST', '/ticket', { Queue: 'General', ...record })).id

  it('delivers every ticket once, though it was down in the middle of the read, and reads no page again', async () => {
    const delivered = world.entries(groupRef, 'tickets', 'backfill')
    expect(sorted(delivered.map(({ raw }) => String(raw.id)))).toEqual(sorted(seededTickets))
    const whole = relay.seen.filter((url) => queryOf(url) === 'id > 0' && url.includes('per_page=100'))
    expect(whole).toHaveLength(1)
    expect(world.receiver.counters()).toMatchObject({ refused: 0, failed: 0, malformed: 0 })
    await world.untilDelivered(groupRef, 'queues', 'backfill', ['1', '2'])
    const users = () => world.entries(groupRef, 'users', 'backfill').map(({ raw }) => raw['Name'])
    await expect.poll(users, patience).toEqual(expect.arrayContaining(['root', 'newYork', 'tokyo']))
    await acme.untilBackfilled(installationId, 'tickets', seededTickets.length)
  })

  it('delivers fields as mapped and described, and the customer’s own', async () => {
    const first = world.entries(groupRef, 'tickets', 'backfill').find(({ raw }) => String(raw.id) === '1')
    expect(first).toMatchObject({
      mappedFields: { title: 'Ticket 1 & more', queue: 'General' },
      // In messages, names of fields are in lower case.
      fields: { status: 'new', ownername: 'Nobody', [areasField]: [] },
    })
    expect(await acme.fields('tickets')).toMatchObject({
      Queue: { valueType: 'reference', isRequired: true },
      LastUpdated: { valueType: 'datetime', readOnly: true },
      [areasField]: { displayName: 'Areas', isCustom: true },
    })
  })

  it('delivers on schedule what was changed or made since, and nothing else, west of Greenwich', async () => {
    await rt.rest('PUT', '/ticket/40', { Subject: 'Now a different one', CustomFields: { Areas: ['south'] } })
    const made = await makeTicket({ Subject: 'New' })
    await world.readUntil(groupRef, installationId, 'tickets', ['40', made])
    const delivered = world.entries(groupRef, 'tickets', 'scheduled')
    expect(world.idsOf(delivered)).toEqual(sorted(['40', made]))
    expect(delivered.findLast(({ raw }) => String(raw.id) === '40')).toMatchObject({
      mappedFields: { title: 'Now a different one' },
      fields: { [areasField]: ['south'] },
    })
  })

  it('delivers the same to a user east of Greenwich', async () => {
    zone = userZones.tokyo
    const connection = await world.connect('tokyo', tokenOf('tokyo'), 'working')
    const installed = await world.install('tokyo', connection, { read: { objects: { tickets: {} } } })
    await expect
      .poll(() => world.idsOf(world.entries('tokyo', 'tickets', 'backfill')), patience)
      .toEqual(expect.arrayContaining(seededTickets))
    await rt.rest('PUT', '/ticket/41', { Subject: 'Changed for Tokyo' })
    await world.readUntil('tokyo', installed, 'tickets', ['41'])
    // What was changed in the seconds before the backfill may arrive again. What is an hour old may not.
    const ids = world.idsOf(world.entries('tokyo', 'tickets', 'scheduled'))
    expect(ids.filter((id) => seededTickets.includes(String(id)) && id !== '40')).toEqual(['41'])
  })

  it('delivers deleted tickets from its log, and none that was restored', async () => {
    const [gone, restored] = [await makeTicket({ Subject: 'Goes' }), await makeTicket({ Subject: 'Comes back' })]
    await world.readUntil(groupRef, installationId, 'tickets', [gone, restored])
    await rt.rest('DELETE', `/ticket/${restored}`)
    await rt.rest('PUT', `/ticket/${restored}`, { Status: 'open' })
    await rt.rest('DELETE', `/ticket/${gone}`)
    const deleted = async () => {
      if (await world.isIdle(installationId, 'tickets')) await world.makeDue(installationId, 'tickets')
      return new Set(acme.deletions('tickets').map((entry) => ('id' in entry ? entry.id : undefined)))
    }
    await expect.poll(deleted, patience).toEqual(new Set([gone]))
  })

  it('is written: a ticket is made, changed, found and deleted', async () => {
    const record = { title: 'Written & made', Queue: 'General', Content: 'Text', [areasField]: ['north'] }
    const made = await acme.write('tickets', 'create', record)
    expect(made).toMatchObject({ status: 200, body: { result: { success: true, recordId: expect.any(String) } } })
    const id = made.body.result?.recordId ?? ''
    const own = (values: string[]) => [{ name: 'Areas', values }]
    expect(await ticket(id)).toMatchObject({ Subject: 'Written & made', CustomFields: own(['north']) })

    const changed = await acme.write('tickets', 'update', { id, Status: 'open', Owner: 'newYork', [areasField]: [] })
    expect(changed).toMatchObject({ status: 200, body: { result: { success: true, recordId: id } } })
    expect(await ticket(id)).toMatchObject({ Status: 'open', Owner: { id: 'newYork' }, CustomFields: own([]) })

    expect(await acme.search('tickets', 'title', 'Written & made')).toEqual([id])
    expect(await acme.search('tickets', 'OwnerName', "nobody' OR id > 0 OR Subject = '")).toEqual([])

    expect(await acme.write('tickets', 'delete', { id })).toMatchObject({ status: 200 })
    expect(await ticket(id)).toMatchObject({ Status: 'deleted' })
  })

  it('says what it refuses, also with status 200 among what it accepts', async () => {
    const nowhere = await acme.write('tickets', 'create', { title: 'x', Queue: 'Nowhere' })
    expect(nowhere).toMatchObject({ status: 422, body: { errors: [{ message: expect.stringContaining('Nowhere') }] } })
    const update = await acme.write('tickets', 'update', {
      id: '7',
      title: "Permission Denied: Status 'x'",
      Status: 'no',
    })
    expect(update).toMatchObject({
      status: 422,
      body: { errors: [{ message: expect.stringContaining("Status 'no' isn't a valid status") }] },
    })
    const text = await acme.write('tickets', 'update', { id: '7', title: 'Ticket 7: Permission Denied' })
    expect(text).toMatchObject({ status: 200, body: { result: { success: true } } })
    const value = await acme.write('tickets', 'update', { id: '7', [areasField]: ['west'] })
    expect(value).toMatchObject({ status: 422, body: { errors: [{ message: 'Invalid value for custom field' }] } })
  })

  it('is reached through the proxy', async () => {
    const answer = await acme.proxy<{ Version: string }>(installationId, 'GET', '/rt')
    expect(answer).toMatchObject({ status: 200, body: { Version: expect.stringMatching(/^5\./) } })
  })

  it('passes the test of provider files, object by object', async () => {
    await acme.testFile(connectionId, fileUrl, ['tickets', 'queues', 'users'])
  })

  it('is not read with a wrong token', async () => {
    await acme.expectRefused('1-14-no-such-token', 'tickets')
  })

  it('has its token nowhere but in its encrypted column', async () => {
    expect(await placesOf(world, tokenOf('newYork'))).toEqual([])
  })
})
