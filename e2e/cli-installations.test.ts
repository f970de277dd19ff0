import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import {
  type ReadingKit,
  rarely,
  startReadingKit,
} from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { mortise, temporaryFolder } from './cli.testkit.ts'

/** `install`, `reconfigure`, `pause`, `resume` and `uninstall` of the command line, against the real service. */

let kit: ReadingKit
let env: Record<string, string>
beforeAll(async () => {
  kit = await startReadingKit()
  env = { MORTISE_URL: kit.app.url, MORTISE_API_KEY: kit.app.apiKey }
  const read = (objectName: string, more: object) => ({ objectName, destination: 'hook', schedule: rarely, ...more })
  const manifest = {
    specVersion: '1.0.0',
    integrations: [
      {
        name: 'crm',
        provider: 'sampleCrm',
        read: {
          objects: [
            read('contacts', {
              mapToName: 'people',
              requiredFields: [{ fieldName: 'email' }],
              optionalFields: [{ mapToName: 'lifecycle' }],
              optionalFieldsAuto: 'all',
            }),
            read('companies', { requiredFields: [{ fieldName: 'name' }] }),
          ],
        },
        write: { objects: [{ objectName: 'contacts' }] },
      },
      {
        name: 'choices',
        provider: 'sampleCrm',
        read: {
          objects: [
            read('contacts', { optionalFields: [{ fieldName: 'email' }, { mapToName: 'lifecycle' }] }),
            read('companies', { optionalFieldsAuto: 'all' }),
          ],
        },
      },
    ],
  }
  const body = { sourceYaml: JSON.stringify(manifest) }
  expect(await kit.app.call('PUT', '/projects/default/integrations:batch', body)).toMatchObject({ status: 200 })
})
afterAll(() => kit?.stop())

let groups = 0
/** A new group with a connection to the CRM. */
async function connectedGroup(): Promise<string> {
  const groupRef = `customer-${++groups}`
  const body = { groupRef, consumerRef: 'ada', provider: 'sampleCrm', apiKey: kit.crm.apiKey }
  const connection = { ...body, providerMetadata: { url: kit.crm.url } }
  expect(await kit.app.call('POST', '/projects/default/connections:generate', connection)).toMatchObject({
    status: 201,
  })
  return groupRef
}

async function here(argv: string[], options: Parameters<typeof testTerminal>[0] = {}) {
  const terminal = testTerminal({ env, ...options })
  return { code: await run(argv, terminal), ...terminal.output(), asked: terminal.asked }
}

interface Installation {
  id: string
  connection: { id: string }
  config: { content: { read?: unknown; write?: unknown } }
}
async function data(argv: string[], options: Parameters<typeof testTerminal>[0] = {}): Promise<Installation> {
  const { code, stdout, stderr } = await here([...argv, '--format', 'json'], options)
  expect([argv, code, stderr]).toEqual([argv, 0, ''])
  return JSON.parse(stdout)
}

const contents = async (argv: string[], options = {}) => (await data(argv, options)).config.content

test('install without options takes every object of the manifest, and says what comes next', async () => {
  const group = await connectedGroup()
  const { code, stdout, stderr } = await mortise(['install', 'crm', '--group', group], env)
  expect([code, stderr]).toEqual([
    0,
    `Installed crm for ${group}.\nFollow its reads: mortise list operations --integration crm --group ${group}\n`,
  ])
  expect(stdout).toMatch(
    /^Installation {2}\S{36} healthy\nConnection {4}\S{36} \(sampleCrm\)\nReads {9}contacts\n {14}companies\nWrites {8}contacts\n$/,
  )
  const operations = ['list', 'operations', '--integration', 'crm', '--group', group]
  expect(await here(operations)).toMatchObject({ code: 0 })
})

test('install takes all optional fields of an object without required ones, unless some are chosen', async () => {
  const group = await connectedGroup()
  const options = ['--group', group, '--schedule', `contacts=${rarely}`]
  const companies = { objectName: 'companies', selectedFieldsAuto: 'all' }
  expect(await contents(['install', 'choices', ...options])).toMatchObject({
    read: { objects: { contacts: { objectName: 'contacts', selectedFields: { email: true } }, companies } },
  })
  const other = await connectedGroup()
  const chosen = ['--map', 'contacts.lifecycle=stage', '--fields', 'companies=name']
  const { read } = await contents(['install', 'choices', '--group', other, ...chosen])
  expect(read).toEqual({
    objects: {
      contacts: { objectName: 'contacts', selectedFields: {}, selectedFieldMappings: { lifecycle: 'stage' } },
      companies: { objectName: 'companies', selectedFields: { name: true }, selectedFieldMappings: {} },
    },
  })
})

test('install narrows objects and chooses fields, mappings, schedules and deletes', async () => {
  const group = await connectedGroup()
  const argv = ['install', 'crm', '--group', group, '--read', 'people', '--fields', 'contacts=first_name,score']
  const more = ['--map', 'people.lifecycle=stage', '--schedule', `contacts=${rarely}`, '--allow-delete', 'contacts']
  expect(await contents([...argv, ...more])).toEqual({
    provider: 'sampleCrm',
    read: {
      objects: {
        contacts: {
          objectName: 'contacts',
          selectedFields: { first_name: true, score: true },
          selectedFieldMappings: { lifecycle: 'stage' },
          schedule: rarely,
        },
      },
    },
    write: { objects: { contacts: { objectName: 'contacts', deletionSettings: { enabled: true } } } },
  })
})

test('a config comes whole from a file or from standard input, as YAML, JSON or an installation', async () => {
  const file = join(await temporaryFolder(), 'config.yaml')
  await writeFile(file, 'read:\n  objects:\n    contacts:\n      selectedFieldsAuto: all\n')
  const group = await connectedGroup()
  const installed = await data(['install', 'crm', '--group', group, '--config', file])
  expect(installed.config.content).toMatchObject({
    provider: 'sampleCrm',
    read: { objects: { contacts: { selectedFieldsAuto: 'all' } } },
  })
  const stdin = JSON.stringify(installed).replace('"all"', '"all","schedule":"0 0 29 2 *"')
  const changed = ['reconfigure', 'crm', '--group', group, '--config', '-']
  expect(await contents(changed, { stdin })).toMatchObject({
    read: { objects: { contacts: { selectedFieldsAuto: 'all', schedule: rarely } } },
  })
  // Reads that the file leaves out stop; the service keeps their choices.
  expect(await contents(changed, { stdin: 'write: { objects: { contacts: {} } }' })).toMatchObject({
    read: { objects: { contacts: { selectedFieldsAuto: 'all', disabled: true } } },
    write: { objects: { contacts: {} } },
  })
})

test('reconfigure replaces a list, adds to it with + and removes from it with -', async () => {
  const group = await connectedGroup()
  const { id } = await data(['install', 'crm', '--group', group, '--fields', 'contacts=score'])
  const reconfigure = (...more: string[]) => contents(['reconfigure', 'crm', '--group', group, ...more])
  const contacts = (more: object) => ({ objectName: 'contacts', ...more })
  const companies = { objectName: 'companies' }
  expect(await reconfigure('--fields', 'contacts=+phone,-score', '--map', 'contacts.lifecycle=stage')).toMatchObject({
    read: {
      objects: {
        contacts: contacts({ selectedFields: { phone: true }, selectedFieldMappings: { lifecycle: 'stage' } }),
        companies,
      },
    },
  })
  expect(await reconfigure('--read', '-companies', '--fields', 'contacts=first_name', '--write', 'none')).toMatchObject(
    {
      read: {
        objects: {
          contacts: contacts({ selectedFields: { first_name: true }, selectedFieldMappings: { lifecycle: 'stage' } }),
          companies: { ...companies, disabled: true },
        },
      },
      write: { objects: {} },
    },
  )
  expect(
    await reconfigure('--read', '+companies', '--map', 'contacts.lifecycle=', '--fields', 'contacts=all'),
  ).toMatchObject({
    read: { objects: { contacts: { selectedFieldsAuto: 'all', selectedFieldMappings: {} }, companies } },
  })
  const again = await here(['reconfigure', 'crm', '--installation', id, '--read', 'contacts,companies'])
  expect(again).toMatchObject({ code: 0, stderr: `Nothing to change: crm for ${group} has this config already.\n` })
  expect(again.stdout).toContain('Reads         contacts: all fields\n              companies\n')
})

test('another connection of the group is chosen by its id', async () => {
  const group = await connectedGroup()
  const before = await data(['install', 'crm', '--group', group])
  const body = { groupRef: group, consumerRef: 'bob', provider: 'sampleCrm', apiKey: kit.crm.apiKey }
  const made = await kit.app.call<{ id: string }>('POST', '/projects/default/connections:generate', {
    ...body,
    providerMetadata: { url: kit.crm.url },
  })
  const argv = ['reconfigure', 'crm', '--group', group, '--connection', made.body.id]
  const after = await data(argv)
  expect([after.id, after.connection.id]).toEqual([before.id, made.body.id])
})

test('pause stops scheduled reads of the objects that it names, and resume starts them', async () => {
  const group = await connectedGroup()
  const { id } = await data(['install', 'crm', '--group', group])
  const paused = async () => {
    const states = kit.app.db.sql.selectFrom('read_states').select('object_name').where('installation_id', '=', id)
    const rows = await states.where('paused', 'is not', null).orderBy('object_name').execute()
    return rows.map((row) => row.object_name)
  }
  expect(await here(['pause', 'crm', 'contacts', '--group', group, '--note', 'a migration'])).toMatchObject({
    code: 0,
    stderr: `Paused contacts of crm for ${group}.\n`,
  })
  expect(await paused()).toEqual(['contacts'])
  expect(await here(['pause', 'crm', '--installation', id])).toMatchObject({ code: 0 })
  expect(await paused()).toEqual(['companies', 'contacts'])
  const resumed = await here(['resume', 'crm', '--group', group, '--format', 'json'])
  expect(JSON.parse(resumed.stdout)).toEqual({ installationId: id, groupRef: group, state: 'resumed' })
  expect(await paused()).toEqual([])
})

test('uninstall asks first, and deletes the installation', async () => {
  const group = await connectedGroup()
  const { id } = await data(['install', 'crm', '--group', group])
  const argv = ['uninstall', 'crm', '--group', group]
  expect(await here(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  expect(await here(argv, { answers: [false] })).toMatchObject({ code: 130, stderr: 'Nothing was changed.\n' })
  const { code, stderr, asked } = await here(argv, { answers: [true] })
  expect([code, stderr, asked[0]?.message]).toEqual([
    0,
    `Uninstalled crm for ${group}.\n`,
    `Uninstall crm for ${group}? Its reads stop. Its connection is deleted if nothing else uses it.`,
  ])
  expect(await here(argv)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(`Install it with \`mortise install crm --group ${group}\``),
  })
  expect(await here(['pause', 'crm', '--installation', id])).toMatchObject({ code: 5 })
})

test('webhook shows the address of a webhook that customers set up, and saves its secret', async () => {
  const subscribe = { objects: [{ objectName: 'subscriptions', destination: 'hook' }] }
  const manifest = { specVersion: '1.0.0', integrations: [{ name: 'billing', provider: 'recurly', subscribe }] }
  await kit.app.call('PUT', '/projects/default/integrations:batch', { sourceYaml: JSON.stringify(manifest) })
  const basicAuth = { username: 'an-api-key', password: '' }
  const connection = { groupRef: 'billed', consumerRef: 'ada', provider: 'recurly', basicAuth }
  await kit.app.call('POST', '/projects/default/connections:generate', connection)
  const config = { content: { provider: 'recurly' } }
  await kit.app.call('POST', '/projects/default/integrations/billing/installations', { groupRef: 'billed', config })
  const shown = async (argv: string[], options: Parameters<typeof testTerminal>[0] = {}) => {
    const { code, stdout } = await here(
      ['webhook', 'billing', '--group', 'billed', '--format', 'json', ...argv],
      options,
    )
    expect(code).toBe(0)
    return JSON.parse(stdout) as { url: string; secret: { state: string; previousExpireTime?: string } }
  }
  expect(await shown([])).toMatchObject({
    url: expect.stringContaining('/subscribe/v1/'),
    secret: { state: 'missing' },
  })
  expect(await shown(['--secret-stdin'], { stdin: 'the first secret\n' })).toMatchObject({ secret: { state: 'set' } })
  const { secret } = await shown(['--secret-stdin'], { stdin: 'the second secret\n' })
  expect(secret.previousExpireTime).toBeDefined()
  const ended = await shown(['--secret-stdin', '--end-previous'], { stdin: 'the third secret\n' })
  expect(ended.secret.previousExpireTime).toBeUndefined()
  const argv = ['webhook', 'billing', '--group', 'billed']
  expect(await here([...argv, '--end-previous'])).toMatchObject({ code: 2 })
  expect(await here([...argv, '--secret-stdin'], { stdin: '\n' })).toMatchObject({ code: 2 })
  expect(await here([...argv, '--secret-stdin'], { stdin: 'short' })).toMatchObject({ code: 1 })
})

test('a group with two installations is told their ids', async () => {
  const group = await connectedGroup()
  const first = await data(['install', 'crm', '--group', group])
  const body = { groupRef: group, consumerRef: 'bob', provider: 'sampleCrm', apiKey: kit.crm.apiKey }
  const connection = { ...body, providerMetadata: { url: kit.crm.url } }
  await kit.app.call('POST', '/projects/default/connections:generate', connection)
  const second = await data(['install', 'crm', '--group', group])
  const { code, stderr } = await here(['pause', 'crm', '--group', group])
  expect(code).toBe(2)
  for (const { id } of [first, second]) expect(stderr).toContain(`--installation ${id}`)
})

test('a choice that cannot be is refused before anything changes, with what to write', async () => {
  const group = await connectedGroup()
  await data(['install', 'crm', '--group', group])
  const change = (...more: string[]) => ['reconfigure', 'crm', '--group', group, ...more]
  for (const [argv, sentence] of [
    [['pause', 'crm'], 'Name the installation: add --group REF, or --installation ID.'],
    [change(), 'There is nothing to change.'],
    [change('--read', 'contcts'), '--read: crm reads no object “contcts”. Did you mean contacts?'],
    [
      change('--subscribe', 'contacts'),
      'crm subscribes to no object “contacts”. Its manifest has no subscribe objects.',
    ],
    [change('--read', '+contacts,companies'), 'mixes plain and signed names'],
    [change('--fields', 'first_name'), 'Write --fields contacts=first_name,score.'],
    [change('--map', 'lifecycle=stage'), 'Write --map contacts.lifecycle=stage.'],
    [change('--config', 'missing.yaml'), 'Cannot read missing.yaml: it does not exist.'],
    [change('--config', '-'), 'contains no config'],
    [change('--config', '-', '--read', 'contacts'), '--config is the whole config.'],
  ] as [string[], string][])
    expect([argv, await here(argv, { stdin: 'text' })]).toEqual([
      argv,
      expect.objectContaining({ code: 2, stderr: expect.stringContaining(sentence) }),
    ])
  const never = await here(change('--schedule', 'contacts=never'))
  expect(never).toMatchObject({ code: 1, stderr: expect.stringContaining('schedule') })
  const nobody = await here(['install', 'crm', '--group', 'nobody'])
  expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('has no connection to sampleCrm') })
})
