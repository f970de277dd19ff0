import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ReadingOfApplication, readApplication, sorted, waitMs } from '../debian/read-application.testkit.ts'
import { type Relay, startRelay } from '../debian/relay.testkit.ts'
import { placesOf, untilRetrying, useApplication } from '../debian/use-application.testkit.ts'
import { seed, seededTitles, talkTitle } from './seed.ts'
import { type MediaWiki, startMediaWiki } from './start-mediawiki.ts'

const enabled = process.env['MORTISE_E2E_MEDIAWIKI'] === '1'
if (!enabled) {
  console.log(
    'The end-to-end test with MediaWiki is skipped: run e2e/mediawiki/install.sh, then set MORTISE_E2E_MEDIAWIKI=1.',
  )
}

const fileUrl = new URL('../../packages/providers/providers/mediaWiki.yaml', import.meta.url)
const manifestUrl = new URL('../../examples/manifests/mediawiki.yaml', import.meta.url)
const allTitles = ['Main Page', ...seededTitles, talkTitle]

describe.skipIf(!enabled)('a MediaWiki', { timeout: 2 * waitMs }, () => {
  const groupRef = 'acme'
  const started = new AsyncDisposableStack()
  let wiki: MediaWiki
  let relay: Relay
  let world: ReadingOfApplication
  let acme: ReturnType<typeof useApplication>
  let connectionId: string
  let installationId: string

  beforeAll(async () => {
    wiki = started.use(await startMediaWiki(seed))
    relay = started.use(await startRelay(wiki.scriptUrl))
    world = await readApplication({
      manifest: await readFile(manifestUrl, 'utf8'),
      destination: 'wikiWebhook',
      provider: 'mediaWiki',
      authScheme: 'apiKey', // what the API calls custom authentication
      credential: (botPassword) => ({
        customAuth: { botName: wiki.botName, botPassword },
        providerMetadata: { scriptUrl: relay.url },
      }),
      idOf: (raw) => String(raw['title'] ?? raw['name']),
    })
    started.defer(() => world.stop())
    acme = useApplication(world, groupRef)

    // The wiki ends in the middle of the backfill, and comes back.
    connectionId = await world.connect(groupRef, wiki.botPassword, 'working')
    const ended = relay.before((url) => url.includes('gapcontinue='), wiki.stop)
    installationId = await world.install(groupRef, connectionId, {
      read: { objects: { pages: { selectedFieldsAuto: 'all' }, users: {} } },
      write: { objects: { pages: { deletionSettings: { enabled: true } } } },
    })
    await ended
    await untilRetrying(world, installationId, 'pages')
    await wiki.start()
    await world.untilDelivered(groupRef, 'pages', 'backfill', allTitles)
  }, 4 * waitMs)
  afterAll(() => started.disposeAsync())

  /** How often Mortise signed in. */
  const signIns = () => relay.seen.filter((url) => url.includes('type=login')).length

  it('delivers every page of every namespace once, though it was down in the middle of the read, and reads none again', async () => {
    const delivered = world.entries(groupRef, 'pages', 'backfill')
    expect(sorted(delivered.map(({ raw }) => String(raw['title'])))).toEqual(sorted(allTitles))
    expect(world.receiver.counters()).toMatchObject({ refused: 0, failed: 0, malformed: 0 })
    const last = relay.seen.findIndex((url) => url.includes('gapcontinue='))
    const again = relay.seen.slice(last).filter((url) => url.includes('gapnamespace=0'))
    expect(again.every((url) => url.includes('gapcontinue='))).toBe(true)
    await world.untilDelivered(groupRef, 'users', 'backfill', ['Ada', 'MediaWiki default'])
  })

  it('delivers fields as mapped and described', async () => {
    const page = world.entries(groupRef, 'pages', 'backfill').find(({ raw }) => raw['title'] === talkTitle)
    expect(page).toMatchObject({
      mappedFields: { changedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      fields: { title: talkTitle, ns: 1, contentmodel: 'wikitext', pageid: expect.any(Number) },
    })
    expect(await acme.fields('pages')).toMatchObject({
      title: { valueType: 'string', isRequired: true },
      touched: { valueType: 'datetime', readOnly: true },
    })
  })

  it('delivers on schedule what was changed or made since, and nothing else', async () => {
    await wiki.edit(seededTitles[40]!, 'Now a different text')
    await wiki.edit('New page', 'Text')
    await world.readUntil(groupRef, installationId, 'pages', [seededTitles[40]!, 'New page'])
    const read = world.entries(groupRef, 'pages', 'scheduled')
    expect(world.idsOf(read)).toEqual(sorted([seededTitles[40]!, 'New page']))
  })

  it('delivers deletions from its log', async () => {
    await wiki.edit('Leaving', 'Text')
    const { pageid } = await wiki.page('Leaving')
    await world.readUntil(groupRef, installationId, 'pages', ['Leaving'])
    await wiki.delete('Leaving')
    await expect
      .poll(
        async () => {
          if (await world.isIdle(installationId, 'pages')) await world.makeDue(installationId, 'pages')
          return acme.deletions('pages')
        },
        { timeout: waitMs, interval: 100 },
      )
      .toContainEqual(expect.objectContaining({ id: String(pageid), deleted: true }))
  })

  it('is written: a page is made, changed, found and deleted', async () => {
    const made = await acme.write('pages', 'create', { title: 'Written', content: 'Written & made', summary: 'By us' })
    expect(made).toMatchObject({ status: 200, body: { result: { success: true, recordId: expect.any(String) } } })
    const id = made.body.result?.recordId ?? ''
    const revision = (content: string, comment: string) => ({
      pageid: Number(id),
      revisions: [{ comment, slots: { main: { content } } }],
    })
    expect(await wiki.page('Written')).toMatchObject(revision('Written & made', 'By us'))

    const changed = await acme.write('pages', 'update', { id, content: 'Changed' })
    expect(changed).toMatchObject({ status: 200, body: { result: { success: true, recordId: id } } })
    expect(await wiki.page('Written')).toMatchObject(revision('Changed', ''))

    expect(await acme.search('pages', 'title', 'Written')).toEqual([id])
    expect(await acme.search('pages', 'title', 'No such page')).toEqual([])

    expect(await acme.write('pages', 'delete', { id })).toMatchObject({ status: 200 })
    expect(await wiki.page('Written')).toMatchObject({ missing: true })
    expect((await acme.write('pages', 'delete', { id })).status).toBe(422)
  })

  it('says what it refuses', async () => {
    const taken = await acme.write('pages', 'create', { title: 'Main Page', content: 'Mine' })
    expect(taken).toMatchObject({
      status: 422,
      body: { errors: [{ message: expect.stringContaining('has been created already') }] },
    })
  })

  it('is signed in to again when the session has ended: for a read, and for a write', async () => {
    const before = signIns()
    await wiki.endSessions()
    await wiki.edit('After the session', 'Text')
    await world.readUntil(groupRef, installationId, 'pages', ['After the session'])
    expect(signIns()).toBe(before + 1)

    await wiki.endSessions()
    const written = await acme.write('pages', 'create', { title: 'In a new session', content: 'Text' })
    expect(written).toMatchObject({ status: 200, body: { result: { success: true } } })
    expect(signIns()).toBe(before + 2)
    expect((await world.app.call('GET', `/projects/default/connections/${connectionId}`)).body).toMatchObject({
      status: 'working',
    })
  })

  it('is reached through the proxy in the session of the connection', async () => {
    const path = '/api.php?action=query&meta=userinfo&format=json&formatversion=2'
    const answer = await acme.proxy(installationId, 'GET', path)
    expect(answer).toMatchObject({ status: 200, body: { query: { userinfo: { name: 'Ada' } } } })
  })

  it('passes the test of provider files, object by object', async () => {
    await acme.testFile(connectionId, fileUrl, ['pages', 'recentchanges', 'logevents', 'users'])
  })

  it('is not read with a wrong password, though it shows its pages to strangers', async () => {
    await acme.expectRefused('no-such-password', 'pages')
  })

  it('has its password nowhere but in its encrypted column', async () => {
    expect(await placesOf(world, wiki.botPassword)).toEqual([])
  })
})
