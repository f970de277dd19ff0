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
import { listId, moderatedListId, seed, seededMembers } from './seed.ts'
import { type Mailman, startMailman } from './start-mailman.ts'

const enabled = process.env['MORTISE_E2E_MAILMAN'] === '1'
if (!enabled) {
  console.log(
    'The end-to-end test with Mailman is skipped: run e2e/mailman/install.sh, then set MORTISE_E2E_MAILMAN=1.',
  )
}

const fileUrl = new URL('../../packages/providers/providers/mailman.yaml', import.meta.url)
const manifestUrl = new URL('../../examples/manifests/mailman.yaml', import.meta.url)

interface Member {
  member_id: string
  email: string
  delivery_mode: string
}

describe.skipIf(!enabled)('a Mailman', { timeout: 2 * waitMs }, () => {
  const groupRef = 'acme'
  const started = new AsyncDisposableStack()
  let mailman: Mailman
  let relay: Relay
  let world: ReadingOfApplication
  let acme: ReturnType<typeof useApplication>
  let connectionId: string
  let installationId: string

  beforeAll(async () => {
    mailman = started.use(await startMailman(seed))
    relay = started.use(await startRelay(mailman.url))
    world = await readApplication({
      manifest: await readFile(manifestUrl, 'utf8'),
      destination: 'listWebhook',
      provider: 'mailman',
      authScheme: 'basic',
      credential: (password) => ({
        basicAuth: { username: mailman.user, password },
        providerMetadata: { url: relay.url },
      }),
      idOf: (raw) => String(raw['email'] ?? raw['list_id']),
    })
    started.defer(() => world.stop())
    acme = useApplication(world, groupRef)

    // Mailman ends in the middle of the backfill, and comes back.
    connectionId = await world.connect(groupRef, mailman.password, 'working')
    const ended = relay.before((url) => /^\/3\.1\/members\?.*page=2/.test(url), mailman.stop)
    installationId = await world.install(groupRef, connectionId, {
      read: { objects: { members: { selectedFieldsAuto: 'all' }, lists: {} } },
      write: { objects: { members: { deletionSettings: { enabled: true } } } },
    })
    await ended
    await untilRetrying(world, installationId, 'members')
    await mailman.start()
    await world.untilDelivered(groupRef, 'members', 'backfill', seededMembers)
  }, 4 * waitMs)
  afterAll(() => started.disposeAsync())

  it('delivers every member once, though it was down in the middle of the read, and reads no page again', async () => {
    const delivered = world.entries(groupRef, 'members', 'backfill')
    expect(sorted(delivered.map(({ raw }) => String(raw['email'])))).toEqual(seededMembers)
    expect(relay.seen.filter((url) => url === '/3.1/members?count=100&page=1')).toHaveLength(1)
    expect(world.receiver.counters()).toMatchObject({ refused: 0, failed: 0, malformed: 0 })
    await world.untilDelivered(groupRef, 'lists', 'backfill', [moderatedListId, listId])
    await acme.untilBackfilled(installationId, 'members', seededMembers.length)
  })

  it('delivers fields as mapped and described', async () => {
    const [first] = world.entries(groupRef, 'members', 'backfill')
    expect(first).toMatchObject({
      mappedFields: { address: seededMembers[0] },
      fields: { list_id: listId, role: 'member', delivery_mode: 'regular', display_name: 'Member 1000' },
    })
    expect(await acme.fields('members')).toMatchObject({
      role: { valueType: 'singleSelect' },
      list_id: { valueType: 'reference', isRequired: true },
      member_id: { readOnly: true },
    })
  })

  it('delivers on schedule who came, and what changed', async () => {
    const [first] = world.entries(groupRef, 'members', 'backfill')
    await mailman.rest('PATCH', `/members/${first?.raw['member_id']}`, { delivery_mode: 'mime_digests' })
    await mailman.rest('POST', '/members', { ...confirmed, list_id: listId, subscriber: 'new@example.test' })
    await world.readUntil(groupRef, installationId, 'members', ['new@example.test'])
    const read = world.entries(groupRef, 'members', 'scheduled')
    expect(read.findLast(({ raw }) => raw['email'] === seededMembers[0])?.fields).toMatchObject({
      delivery_mode: 'mime_digests',
    })
  })

  it('has members who left found by comparing ids, and delivered', async () => {
    const leaving = 'leaving@example.test'
    const { made } = await mailman.rest('POST', '/members', { ...confirmed, list_id: listId, subscriber: leaving })
    await world.readUntil(groupRef, installationId, 'members', [leaving])
    await mailman.rest('DELETE', `/members/${made}`)
    expect(await acme.compareIds('members')).toBe('[members] 1 deleted record found')
    await expect
      .poll(() => acme.deletions('members'), patience)
      .toEqual([{ id: made, deleted: true, fields: {}, mappedFields: {}, raw: {} }])
  })

  it('is written: a member is made, changed and deleted', async () => {
    const record = { ...confirmed, list_id: listId, subscriber: 'written@example.test', display_name: 'Written & made' }
    const made = await acme.write('members', 'create', record)
    expect(made).toMatchObject({ status: 200, body: { result: { success: true, recordId: expect.any(String) } } })
    const id = made.body.result?.recordId ?? ''
    const member = async () => (await mailman.rest<Member>('GET', `/members/${id}`)).body
    expect(await member()).toMatchObject({ email: 'written@example.test', display_name: 'Written & made' })

    const changed = await acme.write('members', 'update', { id, delivery_mode: 'plaintext_digests' })
    expect(changed).toMatchObject({ status: 200, body: { result: { success: true, recordId: id } } })
    expect(await member()).toMatchObject({ delivery_mode: 'plaintext_digests' })

    expect(await acme.search('members', 'email', 'written@example.test')).toEqual([id])

    expect(await acme.write('members', 'delete', { id })).toMatchObject({ status: 200 })
    await expect(member()).rejects.toThrow('404')
    expect((await acme.write('members', 'delete', { id })).status).toBe(422)
  })

  it('says what it refuses, and that a subscription which waits for a moderator is none', async () => {
    const nowhere = await acme.write('members', 'create', { list_id: 'no.such.list', subscriber: 'x@example.test' })
    expect(nowhere).toMatchObject({
      status: 422,
      body: { errors: [{ message: expect.stringContaining('No such list') }] },
    })
    const waiting = { ...confirmed, pre_approved: false, list_id: moderatedListId, subscriber: 'waits@example.test' }
    expect((await acme.write('members', 'create', waiting)).status).toBe(422)
    const { body } = await mailman.rest<{ total_size: number }>('GET', `/members/find?list_id=${moderatedListId}`)
    expect(body.total_size).toBe(0)
  })

  it('is reached through the proxy', async () => {
    const answer = await acme.proxy<{ mailman_version: string }>(installationId, 'GET', '/system/versions')
    expect(answer).toMatchObject({ status: 200, body: { mailman_version: expect.stringContaining('Mailman 3') } })
  })

  it('passes the test of provider files, object by object', async () => {
    await acme.testFile(connectionId, fileUrl, ['members', 'lists', 'domains', 'addresses'])
  })

  it('is not read with a wrong password', async () => {
    await acme.expectRefused('no-such-password', 'members')
  })

  it('has its password nowhere but in its encrypted column', async () => {
    expect(await placesOf(world, mailman.password)).toEqual([])
  })
})

const confirmed = { pre_verified: 'true', pre_confirmed: 'true', pre_approved: 'true' }
