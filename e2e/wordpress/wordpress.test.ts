import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { claimDueReads } from '../../packages/server/src/features/sync/reading/index.ts'
import { Work } from '../../packages/server/src/kernel/work/index.ts'
import { startTestApp } from '../../packages/server/src/testkit/test-app.ts'
import {
  patience,
  projects,
  type ReadingOfApplication,
  readApplication,
  sorted,
  waitMs,
} from '../debian/read-application.testkit.ts'
import { type SeededIds, seed } from './seed.ts'
import { startWordPress, type WordPress } from './start-wordpress.ts'

const enabled = process.env['MORTISE_E2E_WORDPRESS'] === '1'
if (!enabled) {
  console.log(
    'The end-to-end test with WordPress is skipped: run e2e/wordpress/install.sh, then set MORTISE_E2E_WORDPRESS=1.',
  )
}

interface Problem {
  issues: { name: string; detail: string; remedy: string }[]
}

describe.skipIf(!enabled)('a self-hosted WordPress', { timeout: 2 * waitMs }, () => {
  const started = new AsyncDisposableStack()
  let site: WordPress
  let ids: SeededIds
  let reading: ReadingOfApplication

  beforeAll(async () => {
    site = await startWordPress()
    started.defer(() => site.stop())
    ids = await seed(site)
    reading = await readApplication({
      manifest: await readFile(new URL('../../examples/manifests/wordpress.yaml', import.meta.url), 'utf8'),
      destination: 'contentWebhook',
      provider: 'wordPressSelfHosted',
      authScheme: 'basic',
      credential: (password) => ({
        basicAuth: { username: site.user, password },
        providerMetadata: { siteUrl: site.url },
      }),
    })
    started.defer(() => reading.stop())
  }, 90_000)
  afterAll(() => started.disposeAsync())

  const install = (groupRef: string, connectionId: string, objects: Record<string, object>) =>
    reading.install(groupRef, connectionId, { read: { objects } })

  describe('that is connected and installed', () => {
    const groupRef = 'acme'
    let connectionId: string
    let installationId: string

    beforeAll(async () => {
      connectionId = await reading.connect(groupRef, site.applicationPassword, 'working')
      installationId = await install(groupRef, connectionId, {
        posts: { selectedFields: { slug: true }, selectedValueMappings: { status: { live: 'publish' } } },
        pages: {},
        users: {},
      })
      const total = ids.posts.length + ids.pages.length + ids.users.length
      await reading.receiver.waitFor(({ distinctRecords }) => distinctRecords >= total, waitMs)
    }, 2 * waitMs)

    it.each(['posts', 'pages', 'users'] as const)('delivers every one of its %s, and nothing else', (objectName) => {
      expect(reading.idsOf(reading.entries(groupRef, objectName, 'backfill'))).toEqual(sorted(ids[objectName]))
      expect(reading.receiver.counters()).toMatchObject({ refused: 0, failed: 0, malformed: 0 })
    })

    it('says in every message what it is', () => {
      const posts = reading.messages(groupRef, 'posts', 'backfill')
      for (const message of posts) {
        expect(message).toMatchObject({
          action: 'read',
          provider: 'wordPressSelfHosted',
          groupRef,
          objectName: 'posts',
          resultInfo: { type: 'inline', numRecords: message.result.length },
        })
      }
      expect(new Set(posts.map(({ operationId }) => operationId)).size).toBe(1)
      for (const message of reading.messages(groupRef, 'users', 'backfill')) expect(message.objectName).toBe('people')
    })

    it('delivers fields as chosen and mapped', () => {
      for (const { fields, mappedFields, raw } of reading.entries(groupRef, 'posts', 'backfill')) {
        expect(Object.keys(fields).sort()).toEqual(['link', 'slug', 'status'])
        expect(fields['status']).toBe('live')
        expect(Object.keys(mappedFields).sort()).toEqual(['html', 'modifiedAt', 'title'])
        expect(mappedFields['title']).toBe((raw['title'] as { rendered: string }).rendered)
      }
      const modified = new Set(
        reading.entries(groupRef, 'posts', 'backfill').map(({ mappedFields }) => mappedFields['modifiedAt']),
      )
      expect(modified.size).toBe(2) // the seeded posts, and the one that comes with WordPress
      const titles = reading.entries(groupRef, 'posts', 'backfill').map(({ mappedFields }) => mappedFields['title'])
      expect(titles).toContain('post 77 &amp; more')
      const people = reading.entries(groupRef, 'users', 'backfill').map(({ fields, mappedFields }) => ({
        fields,
        mappedFields,
      }))
      expect(people).toContainEqual({
        fields: { roles: ['editor'] },
        mappedFields: { person: { name: 'User 12', email: 'user12@example.test' } },
      })
    })

    it('has its backfills end as successful operations', async () => {
      const list = `${projects}/integrations/${reading.integrationId}/installations/${installationId}`
      for (const objectName of ['posts', 'pages', 'users'] as const) {
        const progress = await reading.app.call<{ operationId: string }>(
          'GET',
          `${list}/objects/${objectName}/backfill-progress`,
        )
        const count = ids[objectName].length
        expect(progress).toMatchObject({
          status: 200,
          body: { recordsProcessed: count, recordsEstimatedTotal: count },
        })
        // Of all operations: on a slow machine the first scheduled reads have begun. It ends when its last page is
        // committed already.
        await vi.waitFor(async () => {
          const operation = await reading.app.call('GET', `${projects}/operations/${progress.body.operationId}`)
          expect(operation).toMatchObject({ status: 200, body: { status: 'success' } })
        }, patience)
      }
    })

    it('delivers on schedule what was changed or made since, and nothing else', async () => {
      const edited = ids.posts[40]!
      await site.rest('POST', `/wp/v2/posts/${edited}`, { title: 'Now a different one' })
      const made = await site.rest<{ id: number }>('POST', '/wp/v2/pages', { title: 'New page', status: 'publish' })
      await reading.readUntil(groupRef, installationId, 'posts', [edited])
      await reading.readUntil(groupRef, installationId, 'pages', [made.id])
      expect(reading.idsOf(reading.entries(groupRef, 'posts', 'scheduled'))).toEqual([edited])
      expect(reading.idsOf(reading.entries(groupRef, 'pages', 'scheduled'))).toEqual([made.id])
      expect(reading.entries(groupRef, 'posts', 'scheduled').at(-1)?.mappedFields['title']).toBe('Now a different one')
    })

    it('delivers what was put into the trash as deleted', async () => {
      const trashed = ids.posts[50]!
      await site.rest('DELETE', `/wp/v2/posts/${trashed}`)
      await reading.readUntil(groupRef, installationId, 'posts', [trashed])
      const entries = reading.entries(groupRef, 'posts', 'scheduled').filter(({ raw }) => raw['id'] === trashed)
      expect(entries).not.toEqual([])
      for (const entry of entries) expect(entry).toMatchObject({ id: String(trashed), deleted: true })
      await site.rest('POST', `/wp/v2/posts/${trashed}`, { status: 'publish' })
    })

    it('is read no more once it is uninstalled, and its connection goes with it', async () => {
      const path = `${projects}/integrations/${reading.integrationId}/installations/${installationId}`
      expect((await reading.app.call('DELETE', path)).status).toBe(204)
      expect((await reading.app.call('GET', path)).status).toBe(404)
      expect((await reading.app.call('GET', `${projects}/connections/${connectionId}`)).status).toBe(404)
      const { database, newId } = reading.app.app.services
      const work = new Work({ newId, now: () => sql<Date>`now() + interval '7 days'` })
      expect(await claimDueReads({ database, newId, work }, 100)).toEqual([])
      expect(await reading.isIdle(installationId, 'posts')).toBe(true)
    })
  })

  it('loses no post when another is edited in the middle of a read', async () => {
    // Between the first page and the second, a post of the first one changes.
    const edited = sorted(ids.posts)[0]!
    await site.plugin(`
      add_filter('rest_pre_dispatch', function ($answer, $server, $request) {
        if ($request->get_route() === '/wp/v2/posts' && $request['page'] == 2 && add_option('edited_midway', '1'))
          wp_update_post(['ID' => ${edited}, 'post_title' => 'Edited midway']);
        return $answer;
      }, 10, 3);`)
    const connectionId = await reading.connect('midway', site.applicationPassword, 'working')
    const installationId = await install('midway', connectionId, { posts: {} })
    await reading.untilDelivered('midway', 'posts', 'backfill', ids.posts)
    await reading.readUntil('midway', installationId, 'posts', [edited])
    // A post that an earlier test has edited in the same second may be in the window, too.
    const read = reading.entries('midway', 'posts', 'scheduled').findLast(({ raw }) => raw.id === edited)
    expect(read?.mappedFields['title']).toBe('Edited midway')
  })

  it('is read no more when its password is revoked, and from there on when it is connected anew', async () => {
    const passwords = '/wp/v2/users/me/application-passwords'
    const revoked = await site.rest<{ uuid: string; password: string }>('POST', passwords, { name: 'to be revoked' })
    const connectionId = await reading.connect('leaving', revoked.password, 'working')
    const installationId = await install('leaving', connectionId, { posts: {} })
    await reading.untilDelivered('leaving', 'posts', 'backfill', ids.posts)

    await site.rest('DELETE', `${passwords}/${revoked.uuid}`)
    const edited = ids.posts[3]!
    await site.rest('POST', `/wp/v2/posts/${edited}`, { title: 'Edited behind closed doors' })
    await reading.makeDue(installationId, 'posts')
    await reading.untilHealth(installationId, 'unhealthy', 'bad_credentials')
    expect(await reading.pausedBecause(installationId)).toEqual(['credentials'])
    expect(reading.entries('leaving', 'posts', 'scheduled')).toEqual([])

    expect(await reading.connect('leaving', site.applicationPassword, 'working')).toBe(connectionId)
    await reading.untilHealth(installationId, 'healthy', 'working')
    await reading.readUntil('leaving', installationId, 'posts', [edited])
    expect(reading.idsOf(reading.entries('leaving', 'posts', 'scheduled'))).toEqual([edited])
  })

  it('is not read with a wrong password, though it shows strangers its public part', async () => {
    const connectionId = await reading.connect('stranger', 'AAAA BBBB CCCC DDDD EEEE FFFF', 'bad_credentials')
    const installationId = await install('stranger', connectionId, { posts: {} })
    expect(await reading.pausedBecause(installationId)).toEqual(['credentials'])
    await vi.waitFor(async () => expect(await reading.isIdle(installationId, 'posts')).toBe(true), patience)
    await reading.untilHealth(installationId, 'unhealthy', 'bad_credentials')
    expect(reading.entries('stranger', 'posts', 'backfill')).toEqual([])

    // With the right one, everything can be read after all.
    expect(await reading.connect('stranger', site.applicationPassword, 'working')).toBe(connectionId)
    await expect.poll(() => reading.pausedBecause(installationId), patience).toEqual([null])
    const path = `//read/v1${projects}/integrations/${reading.integrationId}/objects/posts`
    const triggered = await reading.app.call('POST', path, { groupRef: 'stranger', mode: 'async' })
    expect(triggered).toMatchObject({ status: 201, body: { operationId: expect.any(String) } })
    await reading.untilDelivered('stranger', 'posts', 'triggered', ids.posts)
  })

  it('is out of reach while private networks are closed, and the answer says how to open them', async () => {
    await using closing = new AsyncDisposableStack()
    const closed = await startTestApp({ env: { MORTISE_ALLOW_PRIVATE_NETWORK: '' } })
    closing.defer(() => closed.stop())
    const answer = await closed.call<Problem>('POST', `${projects}/connections:generate`, {
      groupRef: 'acme',
      consumerRef: 'acme-admin',
      provider: 'wordPressSelfHosted',
      basicAuth: { username: site.user, password: site.applicationPassword },
      providerMetadata: { siteUrl: { value: site.url, source: 'input' } },
    })
    expect(answer.status).toBe(400)
    expect(answer.body.issues).toMatchObject([{ name: 'providerMetadata.siteUrl' }])
    expect(answer.body.issues[0]?.remedy).toContain('MORTISE_ALLOW_PRIVATE_NETWORK')
  })
})
