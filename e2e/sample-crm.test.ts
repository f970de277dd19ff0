import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { type ReadingKit, startReadingKit } from '../packages/server/src/features/sync/reading/reading.testkit.ts'

/**
 * The example manifest at the sample CRM: contacts are written by `mortise write`, under the names that they are read
 * by.
 */

const group = 'acme'
let kit: ReadingKit
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mortise-sample-crm-'))
  kit = await startReadingKit({ contacts: 60 })
  const sourceYaml = await readFile(new URL('../examples/manifests/sample-crm.yaml', import.meta.url), 'utf8')
  await ok('POST', '/destinations', { name: 'demoWebhook', type: 'webhook', metadata: { url: kit.receiver.url } })
  await ok('PUT', '/integrations:batch', { sourceYaml })
  await ok('POST', '/connections:generate?verify=true', {
    groupRef: group,
    consumerRef: 'ada',
    provider: 'sampleCrm',
    apiKey: kit.crm.apiKey,
    providerMetadata: { url: kit.crm.url },
  })
  await ok('POST', '/integrations/sampleCrm/installations', {
    groupRef: group,
    config: {
      content: {
        provider: 'sampleCrm',
        read: { objects: { contacts: { selectedFieldMappings: { lifecycle: 'stage' } } } },
        write: { objects: { contacts: { deletionSettings: { enabled: true } } } },
      },
    },
  })
})
afterAll(async () => {
  // Kept by the client of commands that ran in this process, for as long as a test server keeps connections.
  kit?.app.app.http.server.closeAllConnections()
  await kit?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function ok(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await kit.app.call(method, `/projects/default${path}`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
}

async function mortise(...argv: string[]) {
  const terminal = testTerminal({ env: { MORTISE_URL: kit.app.url, MORTISE_API_KEY: kit.app.apiKey } })
  return { code: await run(argv, terminal), ...terminal.output() }
}

const write = (...more: string[]) => mortise('write', 'sampleCrm', 'contacts', '--group', group, ...more)

test('the provider’s file says that the sample CRM is written to', async () => {
  const { body } = await kit.app.call('GET', '/providers/sampleCrm')
  expect(body).toMatchObject({ support: { write: true }, implemented: { write: true, delete: true } })
})

test('a contact is created, changed and deleted under the names of the manifest', async () => {
  const given = [
    'email=grace@acme.example',
    'phoneNumber=+15550100',
    'city=Arlington',
    'lifecycle=customer',
    'plan=team',
  ]
  const { code, stdout, stderr } = await write(...given.flatMap((value) => ['--set', value]))
  expect([code, stderr, stdout]).toEqual([0, '', 'con_0000061 created\n'])
  expect(kit.crm.contact('con_0000061')).toMatchObject({
    email: 'grace@acme.example',
    phone: '+15550100',
    company: { name: '', city: 'Arlington' },
    stage: 'customer',
    custom_fields: { plan: 'team', vip: false },
  })

  expect(await write('--type', 'update', '--set', 'id=con_0000001', '--set', 'city=Rome')).toMatchObject({
    code: 0,
    stdout: 'con_0000001 updated\n',
  })
  expect(kit.crm.contact('con_0000001')?.company).toEqual({ name: expect.stringMatching(/./), city: 'Rome' })

  expect(await write('--type', 'delete', '--set', 'id=con_0000001')).toMatchObject({
    code: 0,
    stdout: 'con_0000001 deleted\n',
  })
  expect(kit.crm.contact('con_0000001')).toBeUndefined()
  const again = await write('--type', 'delete', '--set', 'id=con_0000001')
  expect([again.code, again.stdout]).toEqual([1, expect.stringContaining('there is no contact con_0000001')])
})

test('what was written is read again under the same names', async () => {
  const { stdout } = await write('--set', 'email=lin@acme.example', '--set', 'lifecycle=lost')
  const [id = ''] = stdout.split(' ')
  const read = await mortise('read', 'sampleCrm', 'contacts', '--group', group, '--since', '1m')
  expect(read.code, read.stderr).toBe(0)
  const arrived = await kit.until(async () =>
    (kit.receiver.bodies as { result?: { raw: { id: string } }[] }[])
      .flatMap(({ result = [] }) => result)
      .find(({ raw }) => raw.id === id),
  )
  expect(arrived).toMatchObject({ fields: { email: 'lin@acme.example' }, mappedFields: { lifecycle: 'lost' } })
})

test('all that the CRM calls wrong is told, and nothing is written', async () => {
  const { code, stdout } = await write('--set', 'lifecycle=won', '--set', 'score=high', '--set', 'nickname=x')
  const faults = [
    'email: expected a value',
    'score: expected a value of type int',
    'stage: expected one of lead, customer, lost',
    'custom_fields.nickname: expected a field that exists and may be written',
  ]
  expect([code, stdout]).toEqual([1, `not created: ${faults.join('; ')}\n`])
})

test('a list goes out one by one, as the refusal of a batch says', async () => {
  const file = join(folder, 'contacts.json')
  await writeFile(file, JSON.stringify([{ email: 'a@acme.example' }, { email: 'b@acme.example' }]))
  const refused = await write('--file', file)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--one-by-one') })
  const { code, stdout } = await write('--file', file, '--one-by-one')
  expect([code, stdout.match(/^con_\d{7} created$/gm)]).toEqual([0, [expect.anything(), expect.anything()]])
})
