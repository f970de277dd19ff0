import { readFile } from 'node:fs/promises'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { claimDueReads } from '../../packages/server/src/features/reading/index.ts'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { type SeededIds, seed } from './seed.ts'
import { startWordPress, type WordPress } from './start-wordpress.ts'

const enabled = process.env['MORTISE_E2E_WORDPRESS'] === '1'
if (!enabled) {
  console.log(
    'The end-to-end test with WordPress is skipped: run e2e/wordpress/install.sh, then set MORTISE_E2E_WORDPRESS=1.',
  )
}

const projects = '/projects/default'
const destination = 'contentWebhook'
const waitMs = 60_000
/** How often a condition is asked, and for how long at most. */
const patience = { timeout: waitMs, interval: 100 }

interface Message {
  action: string
  provider: string
  groupRef: string
  objectName: string
  rawObjectName: string
  readType: string
  operationId: string
  resultInfo: { type: string; numRecords: number }
  result: Entry[]
}

interface Entry {
  fields: Record<string, unknown>
  mappedFields: Record<string, unknown>
  raw: { id: number; title?: { rendered: string } }
}

interface Problem {
  issues: { name: string; detail: string; remedy: string }[]
}

describe.skipIf(!enabled)('a self-hosted WordPress', { timeout: 2 * waitMs }, () => {
  const started = new AsyncDisposableStack()
  let site: WordPress
  let ids: SeededIds
  let app: TestApp
  let receiver: WebhookReceiver
  let integrationId: string

  beforeAll(async () => {
    site = await startWordPress()
    started.defer(() => site.stop())
    ids = await seed(site)
    receiver = await startWebhookReceiver({ storeBodies: true })
    started.defer(() => receiver.close())
    app = await startTestApp()
    started.defer(() => app.stop())
    await createDestination()
    integrationId = await deployManifest()
  }, 90_000)
  afterAll(() => started.disposeAsync())

  async function createDestination() {
    const metadata = { url: receiver.url }
    const made = await app.call('POST', `${projects}/destinations`, { name: destination, type: 'webhook', metadata })
    expect(made.status).toBe(201)
    const { body } = await app.call<{ secrets: { webhookSigningKey: string } }>(
      'GET',
      `${projects}/destinations/${destination}?includeSecrets=true`,
    )
    receiver.setSecret(body.secrets.webhookSigningKey)
  }

  async function deployManifest(): Promise<string> {
    const sourceYaml = await readFile(new URL('../../examples/manifests/wordpress.yaml', import.meta.url), 'utf8')
    const deployed = await app.call<{ id: string }[]>('PUT', `${projects}/integrations:batch`, { sourceYaml })
    expect(deployed).toMatchObject({ status: 200, body: [{ name: 'wordpress', provider: 'wordPressSelfHosted' }] })
    return deployed.body[0]!.id
  }

  /** Connects the site for a group; answers the connection's id once its credential was judged as expected. */
  async function connect(groupRef: string, password: string, status: 'working' | 'bad_credentials'): Promise<string> {
    const made = await app.call<{ id: string }>('POST', `${projects}/connections:generate`, {
      groupRef,
      consumerRef: `${groupRef}-admin`,
      provider: 'wordPressSelfHosted',
      basicAuth: { username: site.user, password },
      providerMetadata: { siteUrl: site.url },
    })
    expect(made).toMatchObject({ status: 201, body: { authScheme: 'basic' } })
    const { id } = made.body
    await vi.waitFor(async () => {
      expect((await app.call('GET', `${projects}/connections/${id}`)).body).toMatchObject({ status })
    }, patience)
    return id
  }

  async function install(groupRef: string, connectionId: string, objects: Record<string, object>): Promise<string> {
    const installed = await app.call<{ id: string }>(
      'POST',
      `${projects}/integrations/${integrationId}/installations`,
      {
        groupRef,
        connectionId,
        config: { content: { provider: 'wordPressSelfHosted', read: { objects } } },
      },
    )
    expect(installed).toMatchObject({ status: 201, body: { connection: { id: connectionId } } })
    return installed.body.id
  }

  const messages = (groupRef: string, rawObjectName: string, readType: string) =>
    (receiver.bodies as Message[]).filter(
      (message) =>
        message.groupRef === groupRef && message.rawObjectName === rawObjectName && message.readType === readType,
    )
  const entries = (...of: Parameters<typeof messages>) => messages(...of).flatMap(({ result }) => result)
  const idsOf = (found: Entry[]) => sorted(new Set(found.map(({ raw }) => raw.id)))

  /** Has an object's schedule strike at once. */
  const makeDue = (installationId: string, objectName: string) =>
    sql`update read_states set next_run_at = now() - interval '1 s'
         where project_id = ${app.projectId} and installation_id = ${installationId} and object_name = ${objectName}`.execute(
      app.db.sql,
    )

  /** Whether a run that was due or under way has ended. */
  async function isIdle(installationId: string, objectName: string): Promise<boolean> {
    const { rows } = await sql<{ idle: boolean }>`
      select not exists (select from read_runs where project_id = ${app.projectId}
                            and installation_id = ${installationId} and object_name = ${objectName})
         and not exists (select from read_states where project_id = ${app.projectId}
                            and installation_id = ${installationId} and object_name = ${objectName}
                            and next_run_at <= now()) as idle`.execute(app.db.sql)
    return rows[0]!.idle
  }

  const untilDelivered = (groupRef: string, objectName: string, readType: string, wanted: number[]) =>
    vi.waitFor(() => expect(idsOf(entries(groupRef, objectName, readType))).toEqual(sorted(wanted)), patience)

  const untilHealth = (installationId: string, healthStatus: string, status: string) =>
    vi.waitFor(async () => {
      const installation = `${projects}/integrations/${integrationId}/installations/${installationId}`
      expect((await app.call('GET', installation)).body).toMatchObject({ healthStatus, connection: { status } })
    }, patience)

  async function pausedBecause(installationId: string): Promise<(string | null)[]> {
    const { rows } = await sql<{ paused: string | null }>`
      select paused from read_states where project_id = ${app.projectId} and installation_id = ${installationId}`.execute(
      app.db.sql,
    )
    return rows.map(({ paused }) => paused)
  }

  /** Lets the schedule strike until all of these have arrived: a change of the last two seconds waits for the next strike. */
  async function readUntil(groupRef: string, installationId: string, objectName: string, wanted: number[]) {
    await vi.waitFor(async () => {
      if (await isIdle(installationId, objectName)) await makeDue(installationId, objectName)
      expect(idsOf(entries(groupRef, objectName, 'scheduled'))).toEqual(expect.arrayContaining(wanted))
    }, patience)
  }

  describe('that is connected and installed', () => {
    const groupRef = 'acme'
    let connectionId: string
    let installationId: string

    beforeAll(async () => {
      connectionId = await connect(groupRef, site.applicationPassword, 'working')
      installationId = await install(groupRef, connectionId, {
        posts: { selectedFields: { slug: true }, selectedValueMappings: { status: { live: 'publish' } } },
        pages: {},
        users: {},
      })
      const total = ids.posts.length + ids.pages.length + ids.users.length
      await receiver.waitFor(({ distinctRecords }) => distinctRecords >= total, waitMs)
    }, 2 * waitMs)

    it.each(['posts', 'pages', 'users'] as const)('delivers every one of its %s, and nothing else', (objectName) => {
      expect(idsOf(entries(groupRef, objectName, 'backfill'))).toEqual(sorted(ids[objectName]))
      expect(receiver.counters()).toMatchObject({ refused: 0, failed: 0, malformed: 0 })
    })

    it('says in every message what it is', () => {
      const posts = messages(groupRef, 'posts', 'backfill')
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
      for (const message of messages(groupRef, 'users', 'backfill')) expect(message.objectName).toBe('people')
    })

    it('delivers fields as chosen and mapped', () => {
      for (const { fields, mappedFields, raw } of entries(groupRef, 'posts', 'backfill')) {
        expect(Object.keys(fields).sort()).toEqual(['link', 'slug', 'status'])
        expect(fields['status']).toBe('live')
        expect(Object.keys(mappedFields).sort()).toEqual(['html', 'modifiedAt', 'title'])
        expect(mappedFields['title']).toBe(raw.title?.rendered)
      }
      const modified = new Set(
        entries(groupRef, 'posts', 'backfill').map(({ mappedFields }) => mappedFields['modifiedAt']),
      )
      expect(modified.size).toBe(2) // the seeded posts, and the one that comes with WordPress
      const titles = entries(groupRef, 'posts', 'backfill').map(({ mappedFields }) => mappedFields['title'])
      expect(titles).toContain('post 77 &amp; more')
      const people = entries(groupRef, 'users', 'backfill').map(({ fields, mappedFields }) => ({
        fields,
        mappedFields,
      }))
      expect(people).toContainEqual({
        fields: { roles: ['editor'] },
        mappedFields: { person: { name: 'User 12', email: 'user12@example.test' } },
      })
    })

    it('has its backfills end as successful operations', async () => {
      const list = `${projects}/integrations/${integrationId}/installations/${installationId}`
      for (const objectName of ['posts', 'pages', 'users'] as const) {
        const progress = await app.call<{ operationId: string }>(
          'GET',
          `${list}/objects/${objectName}/backfill-progress`,
        )
        const count = ids[objectName].length
        expect(progress).toMatchObject({
          status: 200,
          body: { recordsProcessed: count, recordsEstimatedTotal: count },
        })
        // Of all operations: on a slow machine the first scheduled reads have begun.
        const operation = await app.call('GET', `${projects}/operations/${progress.body.operationId}`)
        expect(operation).toMatchObject({ status: 200, body: { status: 'success' } })
      }
    })

    it('delivers on schedule what was changed or made since, and nothing else', async () => {
      const edited = ids.posts[40]!
      await site.rest('POST', `/wp/v2/posts/${edited}`, { title: 'Now a different one' })
      const made = await site.rest<{ id: number }>('POST', '/wp/v2/pages', { title: 'New page', status: 'publish' })
      await readUntil(groupRef, installationId, 'posts', [edited])
      await readUntil(groupRef, installationId, 'pages', [made.id])
      expect(idsOf(entries(groupRef, 'posts', 'scheduled'))).toEqual([edited])
      expect(idsOf(entries(groupRef, 'pages', 'scheduled'))).toEqual([made.id])
      expect(entries(groupRef, 'posts', 'scheduled').at(-1)?.mappedFields['title']).toBe('Now a different one')
    })

    it('is read no more once it is uninstalled, and its connection goes with it', async () => {
      const path = `${projects}/integrations/${integrationId}/installations/${installationId}`
      expect((await app.call('DELETE', path)).status).toBe(204)
      expect((await app.call('GET', path)).status).toBe(404)
      expect((await app.call('GET', `${projects}/connections/${connectionId}`)).status).toBe(404)
      const { database, queue, newId } = app.app.services
      const nextWeek = new Date(Date.now() + 7 * 86_400_000)
      expect(await claimDueReads(database.system, queue, newId, nextWeek)).toBe(0)
      expect(await isIdle(installationId, 'posts')).toBe(true)
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
    const connectionId = await connect('midway', site.applicationPassword, 'working')
    const installationId = await install('midway', connectionId, { posts: {} })
    await untilDelivered('midway', 'posts', 'backfill', ids.posts)
    await readUntil('midway', installationId, 'posts', [edited])
    expect(entries('midway', 'posts', 'scheduled').at(-1)?.mappedFields['title']).toBe('Edited midway')
  })

  it('is read no more when its password is revoked, and from there on when it is connected anew', async () => {
    const passwords = '/wp/v2/users/me/application-passwords'
    const revoked = await site.rest<{ uuid: string; password: string }>('POST', passwords, { name: 'to be revoked' })
    const connectionId = await connect('leaving', revoked.password, 'working')
    const installationId = await install('leaving', connectionId, { posts: {} })
    await untilDelivered('leaving', 'posts', 'backfill', ids.posts)

    await site.rest('DELETE', `${passwords}/${revoked.uuid}`)
    const edited = ids.posts[3]!
    await site.rest('POST', `/wp/v2/posts/${edited}`, { title: 'Edited behind closed doors' })
    await makeDue(installationId, 'posts')
    await untilHealth(installationId, 'unhealthy', 'bad_credentials')
    expect(await pausedBecause(installationId)).toEqual(['credentials'])
    expect(entries('leaving', 'posts', 'scheduled')).toEqual([])

    expect(await connect('leaving', site.applicationPassword, 'working')).toBe(connectionId)
    await untilHealth(installationId, 'healthy', 'working')
    await readUntil('leaving', installationId, 'posts', [edited])
    expect(idsOf(entries('leaving', 'posts', 'scheduled'))).toEqual([edited])
  })

  it('is not read with a wrong password, though it shows strangers its public part', async () => {
    const connectionId = await connect('stranger', 'AAAA BBBB CCCC DDDD EEEE FFFF', 'bad_credentials')
    const installationId = await install('stranger', connectionId, { posts: {} })
    expect(await pausedBecause(installationId)).toEqual(['credentials'])
    await vi.waitFor(async () => expect(await isIdle(installationId, 'posts')).toBe(true), patience)
    await untilHealth(installationId, 'unhealthy', 'bad_credentials')
    expect(entries('stranger', 'posts', 'backfill')).toEqual([])

    // With the right one, everything can be read after all.
    expect(await connect('stranger', site.applicationPassword, 'working')).toBe(connectionId)
    expect(await pausedBecause(installationId)).toEqual([null])
    const path = `//read/v1${projects}/integrations/${integrationId}/objects/posts`
    const triggered = await app.call('POST', path, { groupRef: 'stranger', mode: 'async' })
    expect(triggered).toMatchObject({ status: 201, body: { operationId: expect.any(String) } })
    await untilDelivered('stranger', 'posts', 'triggered', ids.posts)
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

function sorted(numbers: Iterable<number>): number[] {
  return [...numbers].sort((a, b) => a - b)
}
