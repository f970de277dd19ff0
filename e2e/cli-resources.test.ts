import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resources } from '../packages/cli/src/resources/index.ts'
import { createProgram, run } from '../packages/cli/src/run.ts'
import { keepSession } from '../packages/cli/src/service/session-file.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { operationTable } from '../packages/client/src/generated/operations.ts'
import {
  type Installed,
  type ReadingKit,
  startReadingKit,
} from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { newId } from '../packages/server/src/kernel/db/index.ts'
import { keepRecord } from '../packages/server/src/testkit/keep-record.ts'
import { signInBuilder } from '../packages/server/src/testkit/test-builder.ts'
import { mortise, temporaryFolder } from './cli.testkit.ts'

/** `list`, `get`, `create` and `delete` of the command line, against the real service. */

let kit: ReadingKit
let installed: Installed
let env: Record<string, string>
beforeAll(async () => {
  kit = await startReadingKit()
  installed = await kit.install()
  const read = `//read/v1/projects/default/integrations/${installed.name}/objects/contacts`
  await kit.app.call('POST', read, { groupRef: installed.groupRef, mode: 'async' })
  env = { MORTISE_URL: kit.app.url, MORTISE_API_KEY: kit.app.apiKey }
})
afterAll(() => kit?.stop())

async function here(argv: string[], options: Parameters<typeof testTerminal>[0] = {}) {
  const terminal = testTerminal({ env, ...options })
  return { code: await run(argv, terminal), ...terminal.output(), asked: terminal.asked }
}
async function data<T = Record<string, string>>(...argv: string[]): Promise<T> {
  const { code, stdout, stderr } = await here([...argv, '--format', 'json'])
  expect([argv, code, stderr]).toEqual([argv, 0, ''])
  return JSON.parse(stdout)
}
type Row = Record<string, string>

test('every resource can be listed as far as the service lists it', async () => {
  const filters: Record<string, string[]> = {
    revisions: ['--integration', installed.name],
    // More than a list shows by default.
    providers: ['--limit', '0'],
    tools: ['--group', installed.groupRef],
    ...Object.fromEntries(
      ['operations', 'configs', 'schedules', 'schema-watches', 'schema-changes'].map((name) => [
        name,
        ['--integration', installed.name, '--installation', installed.installationId],
      ]),
    ),
  }
  // Their lists belong to people.
  const ofPeople = ['builders', 'invites', 'claimed-domains', 'my-sessions']
  const kept = await keepRecord(kit.app, { projectId: kit.app.projectId, ...installed })
  filters['records'] = ['--object', 'contacts']
  await data('create', 'destination', 'customers', 'hook', '--type', 'by-group')
  const found = ['installation', installed.installationId, '--integration', installed.name]
  const { connection } = await data<{ connection: { id: string } }>('get', ...found)
  const targets = [
    ['group', 'acme', 'acme'],
    ['connection', connection.id, `the connection of ${installed.groupRef} to sampleCrm`],
  ] as const
  for (const [what, id, shown] of targets) {
    const set = await here(['destination', `set-${what}`, 'customers', id, 'hook'])
    expect(set).toMatchObject({ code: 0, stderr: `Messages of ${shown} go to hook from now on.\n` })
    filters[`destination-${what}s`] = ['--destination', 'customers']
  }
  const messages = await kit.until(async () => {
    const rows = await data<Row[]>('list', 'messages', '--destination', 'hook', '--state', 'delivered')
    return rows.length > 0 && rows
  })
  filters['attempts'] = ['--message', messages[0]!['id']!]
  for (const { name, one } of resources.filter(({ list }) => list)) {
    if (ofPeople.includes(name)) {
      expect(await here(['list', name])).toMatchObject({ code: 4 })
      continue
    }
    const argv = ['list', one, ...(filters[name] ?? [])]
    const table = await here(argv)
    expect([argv, table.code, /undefined|\[object/.test(table.stdout)]).toEqual([argv, 0, false])
    expect(await data<Row[]>(...argv)).toBeInstanceOf(Array)
  }
  for (const [what, id] of targets) {
    const unset = ['delete', `destination-${what}`, id, '--yes']
    expect(await here(unset)).toMatchObject({ code: 2 })
    for (const code of [0, 5]) expect(await here([...unset, '--destination', 'customers'])).toMatchObject({ code })
  }
  for (const made of [kept, 'customers']) await here(['delete', 'destination', made, '--yes'])
  // One of each that the kit made, by the id that its row shows.
  const shownOnes = 'projects integrations connections groups consumers destinations messages api-keys providers'
  for (const name of shownOnes.split(' ')) {
    const [row] = await data<Row[]>('list', name, ...(filters[name] ?? []))
    const id = row!['id'] ?? row!['groupRef'] ?? row!['consumerRef'] ?? row!['name']
    // A provider has no id of its own.
    expect([name, Object.values(await data('get', name, id!))]).toEqual([name, expect.arrayContaining([id])])
  }
})

test('lists of people work for people', async () => {
  const { token } = await signInBuilder(kit.app, { email: 'ada@example.com', role: 'owner' })
  const folder = { MORTISE_CONFIG_DIR: await temporaryFolder() }
  const accessTokenExpiresAt = new Date(Date.now() + 900_000).toISOString()
  await keepSession(folder, {
    url: kit.app.url,
    email: 'ada@example.com',
    accessToken: token,
    refreshToken: '',
    accessTokenExpiresAt,
  })
  for (const name of ['builders', 'invites', 'claimed-domains'])
    expect([name, await here(['list', name], { env: folder })]).toEqual([name, expect.objectContaining({ code: 0 })])
  expect((await here(['list', 'builders'], { env: folder })).stdout).toContain('ada@example.com')
  const { builderId } = await signInBuilder(kit.app, { email: 'bob@example.com', role: 'developer' })
  const role = await here(['update', 'builder', 'Bob@example.com', '--role', 'owner', '--format', 'json'], {
    env: folder,
  })
  expect(JSON.parse(role.stdout)).toMatchObject({ id: builderId, role: 'owner' })
  const change = (to: string) =>
    here(['update', 'builder', builderId, '--role', to, '--format', 'json'], { env: folder })
  for (const [to, role] of [
    ['viewer', 'viewer'],
    ['member', 'developer'],
  ] as const)
    expect(JSON.parse((await change(to)).stdout)).toMatchObject({ role })
  const unknown = await change('admin')
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('viewer, operator, developer, owner')])
  const invite = await here(['create', 'invite', 'eve@example.com', '--role', 'operator'], { env: folder })
  expect([invite.code, invite.stderr]).toEqual([0, expect.stringContaining('They join with the role operator.')])
  expect((await here(['list', 'invites'], { env: folder })).stdout).toMatch(/eve@example\.com.*operator/)
  expect(await here(['delete', 'builder', 'bob@example.com', '--yes'], { env: folder })).toMatchObject({ code: 0 })
  expect((await here(['list', 'builders'], { env: folder })).stdout).not.toContain('bob@example.com')
})

test('a list is a table for people and whole rows for programs, by a process of its own too', async () => {
  const { code, stdout, stderr } = await mortise(['list', 'destinations'], env)
  expect([code, stderr]).toEqual([0, ''])
  const [heading, row] = stdout.split('\n')
  expect(heading).toMatch(/^Name +Type +Endpoint +Status +Dead letters +Id +Created$/)
  expect(row).toMatch(/^hook +webhook +http:\S+ +active +[0-9a-f-]{36} +\S+Z$/)
  expect(await data<Row[]>('list', 'destinations')).toEqual([expect.objectContaining({ name: 'hook' })])
  expect(await here(['list', 'topics', '--format', 'yaml'])).toMatchObject({ code: 0, stdout: '[]\n' })
})

test('a schema change names the fields that were added, removed and changed', async () => {
  const field = (fieldName: string) => ({ fieldName, displayName: fieldName, valueType: 'string' })
  await kit.app.db.sql
    .insertInto('schema_changes')
    .values({
      project_id: kit.app.projectId,
      id: newId(),
      installation_id: installed.installationId,
      object_name: 'contacts',
      created_fields: JSON.stringify([field('tier'), field('score')]),
      deleted_fields: JSON.stringify([field('fax')]),
      changed_fields: JSON.stringify([
        { oldSchema: field('phone'), newSchema: { ...field('phone'), displayName: 'x' } },
      ]),
    })
    .execute()
  const argv = ['list', 'schema-changes', '--integration', installed.name, '--installation', installed.installationId]
  const { stdout } = await here([...argv, '--object', 'contacts'])
  expect(stdout).toMatch(/^Time +Object +Added +Removed +Changed\n\S+Z +contacts +tier, score +fax +phone\n$/)
  expect(await data(...argv)).toMatchObject([{ objectName: 'contacts', deletedFields: [field('fax')] }])
  expect(await data(...argv, '--object', 'deals')).toEqual([])
})

test('the table of providers tells how accounts authenticate at each, and what this release does there', async () => {
  const { code, stdout } = await here(['list', 'providers'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Name +Display name +Authentication +Implemented +Modules +Objects in +Evidence$/m)
  expect(stdout).toMatch(
    /^hubspot +HubSpot +oauth2 +read, write, delete, proxy, subscribe, search +crm +Compared with documentation on \S+$/m,
  )
  expect(stdout).toMatch(/^gmail .* google, module gmail +Two sources say how to connect$/m)
  // Its base URL is not known.
  expect(stdout).toMatch(/^aws +Amazon Web Services +basic +aws-identity-center +No test or comparison is recorded$/m)
  const { stdout: one } = await here(['get', 'provider', 'figma'])
  expect(one).toMatch(/^implemented:\n {2}read: false\n(?: {2}\w+: \w+\n)*? {2}proxy: true$/m)
})

test('a list is as long as --limit says, and tells that there is more', async () => {
  for (const ref of ['one', 'two', 'three'])
    await kit.app.call('POST', '/projects/default/connections:generate', {
      groupRef: `limit-${ref}`,
      consumerRef: 'ada',
      provider: 'sampleCrm',
      apiKey: 'x',
      providerMetadata: { url: kit.crm.url },
    })
  const some = await here(['list', 'groups', '--limit', '2', '--format', 'json'])
  expect([JSON.parse(some.stdout).length, some.stderr]).toEqual([2, expect.stringContaining('--limit 0')])
  const all = await here(['list', 'groups', '--limit', '0', '--format', 'json'])
  expect([JSON.parse(all.stdout).length, all.stderr]).toEqual([4, ''])
  expect(await here(['list', 'groups', '--limit', '4'])).toMatchObject({ code: 0, stderr: '' })
  expect(await here(['list', 'groups', '--limit', 'many'])).toMatchObject({ code: 2 })
})

test('filters are said to be missing or of no use before anything is asked', async () => {
  const wrong = { env: { ...env, MORTISE_URL: 'http://127.0.0.1:9' } }
  for (const [argv, sentence] of [
    [['list', 'revisions'], 'needs --integration'],
    [['list', 'schedules', '--integration', 'x'], 'add --group REF, or --installation ID'],
    [['get', 'installation', 'x'], 'needs --integration'],
    [['list', 'topics', '--group', 'x'], '--group does not apply to topics'],
    [['get', 'topic', 'x'], 'topic does not work with get'],
    [['list', 'things'], 'There is no resource “things”'],
    [['list', 'messages', '--since', 'yesterday'], '“yesterday” is not a time'],
    [['get', 'topics', 'x', '--secrets'], 'does not work with get'],
    [['get', 'group', 'x', '--secrets'], 'nothing secret about groups'],
  ] as [string[], string][])
    expect([argv, await here(argv, wrong)]).toEqual([
      argv,
      expect.objectContaining({ code: 2, stderr: expect.stringContaining(sentence) }),
    ])
  expect(await here(['list', 'messages', '--state', 'lost'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('state'),
  })
})

test('messages are filtered by destination, state and time', async () => {
  await kit.until(async () => (await data<Row[]>('list', 'messages', '--state', 'delivered')).length > 0)
  const count = async (...argv: string[]) => (await data<Row[]>('list', 'messages', ...argv)).length
  expect(
    await count('--since', '1h', '--destination', 'hook', '--installation', installed.installationId),
  ).toBeGreaterThan(0)
  expect(await count('--until', '1h')).toBe(0)
  expect(await count('--state', 'failed')).toBe(0)
})

test('what a tour needs is created, found and deleted', async () => {
  const hook = await data<{ id: string; secrets: Row; metadata: object }>(
    'create',
    'destination',
    'tour',
    'http://127.0.0.1:50009/hook',
    '--header',
    'X-Team: growth',
  )
  expect(hook).toMatchObject({
    secrets: { webhookSigningKey: expect.stringMatching(/^whsec_/) },
    metadata: { headers: { 'X-Team': 'growth' } },
  })
  const topic = await data('create', 'topic', 'health')
  const route = await data('create', 'event-route', 'connection.error', 'health')
  const send = await data('create', 'destination-route', 'health', 'tour')
  expect([route['topicId'], send['topicId'], send['destinationId']]).toEqual([topic['id'], topic['id'], hook.id])
  expect(await data<Row[]>('list', 'event-routes', '--topic', topic['id']!)).toHaveLength(1)
  expect(await data<Row[]>('list', 'destination-routes', '--destination', hook.id)).toHaveLength(1)
  expect(await here(['create', 'event-route', 'connection.lost', 'health'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('eventType'),
  })
  expect(
    await here(['create', 'destination', 'tour', 'http://127.0.0.1:50009/hook', '--header', 'no header']),
  ).toMatchObject({ code: 2 })

  for (const [resource, id] of [
    ['event-route', route['id']],
    ['destination-route', send['id']],
    ['topic', 'health'],
    ['destination', 'tour'],
  ] as const) {
    expect(await here(['delete', resource, id!])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
    expect(await here(['delete', resource, id!], { answers: [false] })).toMatchObject({
      code: 130,
      stderr: 'Nothing was deleted.\n',
    })
    const deleted = await here(['delete', resource, id!], { answers: [true] })
    expect([resource, deleted.code, deleted.asked]).toEqual([resource, 0, [{ message: expect.stringContaining(id!) }]])
    expect(await here(['delete', resource, id!, '--yes'])).toMatchObject({ code: 5 })
  }
})

test('an API key is shown when it is made and when it is asked for, and works', async () => {
  const made = await data('create', 'api-key', 'ci', '--scope', 'full')
  const asIt = { env: { ...env, MORTISE_API_KEY: made['key']! } }
  expect(await here(['list', 'projects'], asIt)).toMatchObject({ code: 0 })
  const { stdout } = await here(['get', 'api-key', made['id']!])
  expect(stdout).not.toContain(made['key'])
  expect(await data('get', 'api-key', made['id']!, '--secrets')).toMatchObject({ key: made['key'] })
  expect((await here(['list', 'api-keys'])).stdout).not.toContain(made['key'])
  expect(await mortise(['delete', 'api-key', made['id']!, '--yes'], env)).toMatchObject({ code: 0 })
  await expect.poll(async () => (await here(['list', 'projects'], asIt)).code).toBe(4)
})

test('the signing secret of a destination is shown only when it is asked for', async () => {
  expect((await here(['get', 'destination', 'hook'])).stdout).not.toContain('whsec_')
  expect((await here(['get', 'destination', 'hook', '--secrets'])).stdout).toContain('whsec_')
})

/** A verb that needs a filter is not called without it. */
async function unlessFilterIsMissing(call: () => Promise<unknown>): Promise<void> {
  await call().catch((error: Error) => expect(error.message).toMatch(/^The filter --\w+ is missing\.$/))
}

test('overview, find and the list of failing installations show what the service returns', async () => {
  expect((await here(['overview'])).stdout).toMatch(/^Installations: \d+, 0 unhealthy\n/)
  expect((await here(['find', 'HOOK'])).stdout).toMatch(/destination +\S+ +hook/)
  expect(JSON.parse((await here(['list', 'failing', '--json'])).stdout)).toEqual([])
})

test('every operation that lists, gets or deletes has its resource', async () => {
  const shown = new Set<string>()
  const recorder = new Proxy(
    {},
    {
      get:
        (_, id: string) =>
        (...[first]: unknown[]) => {
          shown.add(id === 'each' ? String(first) : id)
          return id === 'each'
            ? (async function* () {
                yield { id: 'x' }
              })()
            : Promise.resolve([{ id: 'x' }])
        },
    },
  )
  const [org, integration, installation, message] = ['o', 'i', 'n', 'm']
  const options = { org, integration, installation, message, object: 'b', group: 'g', destination: 'd' }
  const calls = [options, { ...options, integration: undefined as unknown as string }].map((given) => ({
    mortise: recorder as never,
    signal: new AbortController().signal,
    options: given,
  }))
  for (const { list, get, delete: remove } of resources)
    for (const call of calls) {
      await unlessFilterIsMissing(async () => list?.rows(call)[Symbol.asyncIterator]().next())
      await unlessFilterIsMissing(async () => get?.read(call, 'x'))
      await unlessFilterIsMissing(async () => remove?.run(call, 'x'))
    }
  // Shown by other commands, or of no use to people.
  const elsewhere =
    /^(list(Org|Project)AuditEntries|listOperationLogs|listOperations|listCounts|listTopInstallations|listTimeline|(list|delete)My(Factor|Session)s?|deleteOrgBuilderFactors|listProviderFileFaults|getClient|getAgentSignIn|getConnect\w+|getInstallationStatus|getInstallationWebhook|getMyInfo|getOverview|getBackfillProgress|getResend|getHydratedRevision|listSchema\w+|getObjectMetadata\w+)$/
  const missing = Object.entries(operationTable).filter(
    ([id, [, path]]) =>
      path.startsWith('/v1/') && /^(list|get|delete)/.test(id) && !shown.has(id) && !elsewhere.test(id),
  )
  expect(missing).toEqual([])
})

test('the help of each verb names its resources', () => {
  for (const verb of ['list', 'get', 'delete'] as const) {
    let help = ''
    const command = createProgram(testTerminal()).commands.find((one) => one.name() === verb)!
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
    for (const resource of resources.filter((one) => one[verb]))
      expect(help).toMatch(new RegExp(`[ (]${resource.name}[,;)]`))
  }
})

test('what the service calls invalid is told part by part, in no words of the document', async () => {
  const { code, stderr } = await here(['read', installed.name, 'nothingOfOurs', '--group', installed.groupRef])
  expect(code).toBe(1)
  expect(stderr).toMatch(/^error Invalid request:\n- path objectName: .+\ncode invalid-input, request \S+\n$/)
})

test('a check for deleted records is refused for an object that declares none', async () => {
  const { code, stderr } = await here([
    'read',
    installed.name,
    'contacts',
    '--group',
    installed.groupRef,
    '--deletions',
  ])
  expect(code).toBe(1)
  expect(stderr).toContain('- body deletions: Deleted records of this object are not looked for.')
})

test('a dead letter is listed, corrected, redriven and discarded', async () => {
  const id = newId()
  const payload =
    '{"action":"read","resultInfo":{"type":"inline","numRecords":1},"result":[{"id":"1","fields":{"size":"x"}}]}'
  const [hook] = await data<Row[]>('list', 'destinations')
  await sql`insert into messages (project_id, id, destination_id, destination_name, kind, payload, payload_bytes, state, failure, end_time)
            values (${kit.app.projectId}, ${id}, ${hook!['id']}, 'hook', 'read', ${Buffer.from(payload)}, 1, 'failed', 'refused', now())`.execute(
    kit.app.db.sql,
  )
  const listed = () => data<Row[]>('list', 'dead-letters', '--destination', 'hook', '--reason', 'refused')
  expect(await listed()).toEqual([expect.objectContaining({ id, reason: 'refused' })])
  const corrected = await here(['dead-letter', 'correct', id], { stdin: '[{"id":"1","fields":{"size":1}}]' })
  expect(corrected).toMatchObject({ code: 0, stderr: expect.stringContaining('dead-letter redrive') })
  expect(await here(['dead-letter', 'correct', id], { stdin: '{}' })).toMatchObject({ code: 2 })
  expect(await here(['dead-letter', 'redrive'])).toMatchObject({ code: 2 })
  expect(await here(['dead-letter', 'redrive', id])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('get replay'),
  })
  await kit.until(async () => (await listed()).length === 0)
  expect(await here(['dead-letter', 'discard', '--destination', 'hook'])).toMatchObject({
    code: 0,
    stderr: 'Discarded 0 dead letters.\n',
  })
})
