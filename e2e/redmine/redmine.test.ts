import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  patience,
  projects,
  type ReadingOfApplication,
  readApplication,
  sorted,
  waitMs,
} from '../debian/read-application.testkit.ts'
import { closedIssues, seed, seededIssues, wonIssue } from './seed.ts'
import { type Redmine, startRedmine } from './start-redmine.ts'

const enabled = process.env['MORTISE_E2E_REDMINE'] === '1'
if (!enabled) {
  console.log(
    'The end-to-end test with Redmine is skipped: run e2e/redmine/install.sh, then set MORTISE_E2E_REDMINE=1.',
  )
}

const everyIssue = Array.from({ length: seededIssues }, (_, index) => index + 1)
const fileUrl = new URL('../../packages/providers/providers/redmine.yaml', import.meta.url)
const manifestUrl = new URL('../../examples/manifests/redmine.yaml', import.meta.url)

/** Redmine is known by its file alone: once the built-in one, once the same under a name that nobody knows. */
const ownName = 'ticketsOfOurs'

interface WriteAnswer {
  operationId: string
  result?: { success: boolean; recordId?: string }
  errors?: { message: string }[]
}

describe.skipIf(!enabled)('a Redmine', { timeout: 2 * waitMs }, () => {
  const started = new AsyncDisposableStack()
  let redmine: Redmine
  let manifest: string
  let file: string
  let providersDir: string

  beforeAll(async () => {
    redmine = await startRedmine(seed)
    started.defer(() => redmine.stop())
    manifest = await readFile(manifestUrl, 'utf8')
    file = (await readFile(fileUrl, 'utf8')).replace(/^name: redmine$/m, `name: ${ownName}`)
    providersDir = await mkdtemp(join(tmpdir(), 'mortise-redmine-file-'))
    started.defer(() => rm(providersDir, { recursive: true, force: true }))
    await writeFile(join(providersDir, `${ownName}.yaml`), file)
  }, 2 * waitMs)
  afterAll(() => started.disposeAsync())

  async function reading(provider: string, env = {}): Promise<ReadingOfApplication> {
    const world = await readApplication({
      manifest: manifest.replace('provider: redmine', `provider: ${provider}`),
      destination: 'issueWebhook',
      provider,
      authScheme: 'apiKey',
      credential: (apiKey) => ({ apiKey, providerMetadata: { url: redmine.url } }),
      env,
    })
    started.defer(() => world.stop())
    return world
  }

  const everything = {
    read: { objects: { issues: { selectedFieldsAuto: 'all' }, projects: {}, users: {} } },
    write: { objects: { issues: { deletionSettings: { enabled: true } } } },
  }

  describe('that the service knows', () => {
    const groupRef = 'acme'
    let world: ReadingOfApplication
    let connectionId: string
    let installationId: string

    beforeAll(async () => {
      world = await reading('redmine')
      connectionId = await world.connect(groupRef, redmine.apiKey, 'working')
      installationId = await world.install(groupRef, connectionId, everything)
      await world.untilDelivered(groupRef, 'issues', 'backfill', everyIssue)
    }, 2 * waitMs)

    const write = (type: string, record: object) =>
      world.app.call<WriteAnswer>('POST', `//write/v1${projects}/integrations/${world.integrationId}/objects/issues`, {
        groupRef,
        type,
        record,
      })

    it('delivers every issue once, open or closed, and nothing else', async () => {
      const delivered = world.entries(groupRef, 'issues', 'backfill')
      expect(sorted(delivered.map(({ raw }) => raw.id))).toEqual(everyIssue)
      expect(world.receiver.counters()).toMatchObject({ refused: 0, failed: 0, malformed: 0 })
      await world.untilDelivered(groupRef, 'projects', 'backfill', [1])
      await world.untilDelivered(groupRef, 'users', 'backfill', [1])
    })

    it('delivers its own fields, what it refers to by id, and names as mapped', () => {
      const delivered = world.entries(groupRef, 'issues', 'backfill')
      const won = delivered.find(({ raw }) => raw.id === wonIssue)
      expect(won).toMatchObject({
        mappedFields: { title: `Issue ${wonIssue} & more` },
        fields: { status_id: 1, tracker_id: 1, project_id: 1, cf_2: 'won', cf_3: [] },
      })
      const closed = delivered.filter(({ fields }) => fields['status_id'] === 5)
      expect(sorted(closed.map(({ raw }) => raw.id))).toEqual(closedIssues)
    })

    it('describes its own fields by the names that people gave them', async () => {
      const path = `${projects}/integrations/${world.integrationId}/objects/issues/metadata?groupRef=${groupRef}`
      const { body } = await world.app.call<{ fields: Record<string, object> }>('GET', path)
      const values = ['new', 'won', 'lost'].map((value) => ({ value, displayValue: value }))
      expect(body.fields).toMatchObject({
        cf_2: { displayName: 'Stage', valueType: 'singleSelect', isCustom: true, values },
        cf_3: { displayName: 'Areas', valueType: 'multiSelect', isCustom: true },
        status_id: { displayName: 'Status', valueType: 'reference' },
      })
    })

    it('has its backfill end as a successful operation, with the number of all issues known', async () => {
      const list = `${projects}/integrations/${world.integrationId}/installations/${installationId}`
      const progress = await world.app.call<{ operationId: string }>('GET', `${list}/objects/issues/backfill-progress`)
      const all = { recordsProcessed: seededIssues, recordsEstimatedTotal: seededIssues }
      expect(progress).toMatchObject({ status: 200, body: all })
      await expect
        .poll(() => world.app.call('GET', `${projects}/operations/${progress.body.operationId}`), patience)
        .toMatchObject({ status: 200, body: { status: 'success' } })
    })

    it('delivers on schedule what was changed or made since, and nothing else', async () => {
      const edited = 40
      await redmine.rest('PUT', `/issues/${edited}.json`, { issue: { subject: 'Now a different one' } })
      const { issue } = await redmine.rest<{ issue: { id: number } }>('POST', '/issues.json', {
        issue: { project_id: 'sales', subject: 'New', custom_fields: [{ id: 2, value: 'new' }] },
      })
      await world.readUntil(groupRef, installationId, 'issues', [edited, issue.id])
      const delivered = world.entries(groupRef, 'issues', 'scheduled')
      expect(world.idsOf(delivered)).toEqual([edited, issue.id])
      expect(delivered.findLast(({ raw }) => raw.id === edited)?.mappedFields['title']).toBe('Now a different one')
      expect(delivered.findLast(({ raw }) => raw.id === issue.id)?.fields).toMatchObject({ cf_2: 'new' })
    })

    it('has its deleted issues found by comparing ids, and delivered', async () => {
      const make = async (subject: string) =>
        (
          await redmine.rest<{ issue: { id: number } }>('POST', '/issues.json', {
            issue: { project_id: 'sales', subject, custom_fields: [{ id: 2, value: 'new' }] },
          })
        ).issue.id
      const ids = [await make('Stays'), await make('Goes')]
      await world.readUntil(groupRef, installationId, 'issues', ids)
      await redmine.rest('DELETE', `/issues/${ids[1]}.json`)
      const path = `//read/v1${projects}/integrations/${world.integrationId}/objects/issues`
      const begun = await world.app.call<{ operationId: string }>('POST', path, {
        groupRef,
        mode: 'async',
        deletions: true,
      })
      await expect
        .poll(() => world.app.call('GET', `${projects}/operations/${begun.body.operationId}`), patience)
        .toMatchObject({ body: { status: 'success', result: '[issues] 1 deleted record found' } })
      const deletions = () => world.entries(groupRef, 'issues', 'scheduled').filter((entry) => 'deleted' in entry)
      await expect
        .poll(deletions, patience)
        .toEqual([{ id: String(ids[1]), deleted: true, fields: {}, mappedFields: {}, raw: {} }])
    })

    it('is written: an issue is made, changed and deleted, its own fields by the names that reading gives them', async () => {
      const made = await write('create', {
        project_id: 'sales',
        title: 'Written',
        cf_2: 'new',
        cf_3: ['north', 'south'],
      })
      expect(made).toMatchObject({ status: 200, body: { result: { success: true, recordId: expect.any(String) } } })
      const id = made.body.result?.recordId ?? ''
      const issue = () => redmine.rest<{ issue: object }>('GET', `/issues/${id}.json?include=journals`)
      expect(await issue()).toMatchObject({
        issue: {
          subject: 'Written',
          custom_fields: [
            { id: 2, value: 'new' },
            { id: 3, value: ['north', 'south'] },
          ],
        },
      })

      const changed = await write('update', { id, status_id: 5, cf_2: 'won', notes: 'Signed.' })
      expect(changed).toMatchObject({ status: 200, body: { result: { success: true, recordId: id } } })
      expect(await issue()).toMatchObject({
        issue: {
          subject: 'Written',
          status: { name: 'Closed' },
          custom_fields: [
            { id: 2, value: 'won' },
            { id: 3, value: ['north', 'south'] },
          ],
          journals: [{ notes: 'Signed.' }],
        },
      })

      expect(await write('delete', { id })).toMatchObject({ status: 200, body: { result: { success: true } } })
      await expect(issue()).rejects.toThrow('404')
      expect((await write('delete', { id })).status).toBe(422)
    })

    it('says of an issue that it refuses all that is wrong with it', async () => {
      const refused = await write('create', { project_id: 'sales', cf_2: 'perhaps' })
      expect(refused.status).toBe(422)
      expect(refused.body.errors?.map(({ message }) => message)).toEqual(
        expect.arrayContaining([
          expect.stringContaining('Stage is not included in the list'),
          expect.stringContaining('Subject cannot be blank'),
        ]),
      )
    })

    it('is searched by the fields that it knows as filters, and by no others', async () => {
      const search = (fieldName: string, value: unknown) =>
        world.app.call<{ results: { id: string }[] }>(
          'POST',
          `//search/v1${projects}/integrations/${world.integrationId}?groupRef=${groupRef}`,
          { objectName: 'issues', fieldFilters: [{ fieldName, operator: 'eq', value }] },
        )
      const closed = await search('status_id', 5)
      expect(closed.status, JSON.stringify(closed.body)).toBe(200)
      expect(sorted(closed.body.results.map(({ id }) => Number(id)))).toEqual(closedIssues)
      expect((await search('title', `Issue ${wonIssue} & more`)).body.results).toMatchObject([{ id: `${wonIssue}` }])
      // Redmine would pass over it and answer everything.
      expect((await search('total_spent_hours', 3)).status).toBe(400)
    })

    it('passes the test of provider files, object by object', async () => {
      const path = `${projects}/connections/${connectionId}/provider-file:test`
      const text = await readFile(fileUrl, 'utf8')
      const { status, body } = await world.app.call<{ ok: boolean; objects: object[] }>('POST', path, {
        name: 'redmine.yaml',
        text,
        objects: ['issues', 'projects', 'versions', 'roles'],
      })
      expect({ status, ok: body.ok }, JSON.stringify(body)).toEqual({ status: 200, ok: true })
      expect(body.objects).toHaveLength(4)
    })

    it('is not read with a wrong key, though it shows strangers its public part', async () => {
      const wrong = await world.connect('stranger', 'no-such-key', 'bad_credentials')
      const installed = await world.install('stranger', wrong, { read: { objects: { issues: {} } } })
      expect(await world.pausedBecause(installed)).toContain('credentials')
      expect(world.entries('stranger', 'issues', 'backfill')).toEqual([])
    })

    it('is read no more once the key holds no longer: what strangers see is not delivered as the customer’s', async () => {
      const user = { login: 'leaving', firstname: 'L', lastname: 'E', mail: 'l@example.test', password: 'secret-123' }
      const made = await redmine.rest<{ user: { id: number; api_key: string } }>('POST', '/users.json', { user })
      const connection = await world.connect('leaving', made.user.api_key, 'working')
      const installed = await world.install('leaving', connection, { read: { objects: { issues: {} } } })
      await expect
        .poll(() => world.idsOf(world.entries('leaving', 'issues', 'backfill')), patience)
        .toContain(seededIssues)

      await redmine.rest('PUT', `/users/${made.user.id}.json`, { user: { status: 3 } })
      await redmine.rest('PUT', '/issues/3.json', { issue: { subject: 'Changed in public' } })
      await world.makeDue(installed, 'issues')
      await world.untilHealth(installed, 'unhealthy', 'bad_credentials')
      expect(world.entries('leaving', 'issues', 'scheduled').map(({ raw }) => raw.id)).not.toContain(3)
    })
  })

  it('is read and written by a file of one’s own that the service was started with', async () => {
    const world = await reading(ownName, { MORTISE_PROVIDERS_DIR: providersDir })
    const connectionId = await world.connect('own', redmine.apiKey, 'working')
    await world.install('own', connectionId, everything)
    await expect
      .poll(() => world.idsOf(world.entries('own', 'issues', 'backfill')), patience)
      .toEqual(expect.arrayContaining(everyIssue))
    expect(world.messages('own', 'issues', 'backfill')[0]).toMatchObject({ provider: ownName, objectName: 'tickets' })
    const path = `//write/v1${projects}/integrations/${world.integrationId}/objects/issues`
    const record = { id: '5', title: 'By a file alone', cf_2: 'lost' }
    const written = await world.app.call<WriteAnswer>('POST', path, { groupRef: 'own', type: 'update', record })
    expect(written).toMatchObject({ status: 200, body: { result: { success: true, recordId: '5' } } })
    const { issue } = await redmine.rest<{ issue: object }>('GET', '/issues/5.json')
    expect(issue).toMatchObject({ subject: 'By a file alone', custom_fields: [{ value: 'lost' }, {}] })
  })
})
