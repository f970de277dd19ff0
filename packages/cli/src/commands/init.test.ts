import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { run } from '../run.ts'
import { type Answer, testTerminal } from '../testkit/test-terminal.ts'

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'mortise-init-'))
  return () => rm(cwd, { recursive: true })
})

async function mortise(args: string[], answers?: Answer[]) {
  const terminal = testTerminal({ cwd, ...(answers && { answers }) })
  const code = await run(args, terminal)
  return { code, ...terminal.output(), asked: terminal.asked }
}
const written = () => readFile(join(cwd, 'mortise.yaml'), 'utf8')
const hubspot = ['init', '--provider', 'hubspot', '--object', 'contacts']

describe('by options', () => {
  test('writes a manifest that validates without a warning', async () => {
    const { code, stderr } = await mortise([
      ...hubspot,
      '--object',
      'deals',
      '--field',
      'contacts.email',
      '--field',
      'id',
    ])
    expect(code, stderr).toBe(0)
    const text = await written()
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=http://localhost:4100/schemas/manifest.json')
    const common = { destination: 'webhook', schedule: '*/30 * * * *', optionalFieldsAuto: 'all' }
    expect(parse(text)).toMatchObject({
      specVersion: '1.0.0',
      integrations: [
        {
          name: 'hubspot',
          provider: 'hubspot',
          read: {
            objects: [
              { objectName: 'contacts', ...common, requiredFields: [{ fieldName: 'email' }, { fieldName: 'id' }] },
              { objectName: 'deals', ...common, requiredFields: [{ fieldName: 'id' }] },
            ],
          },
        },
      ],
    })
    expect(await mortise(['validate'])).toEqual({ code: 0, stdout: '', stderr: 'valid: mortise.yaml\n', asked: [] })
  })

  test('says what to do next', async () => {
    const { stderr } = await mortise([...hubspot, '--destination-url', 'https://example.com/a b'])
    expect(stderr).toBe(
      "written: mortise.yaml\nNext:\n  mortise create destination webhook 'https://example.com/a b'\n  mortise diff\n  mortise deploy\n",
    )
  })

  test('every option has its place', async () => {
    const more = [
      '--module',
      'crm',
      '--name',
      'sales',
      '--destination',
      'hook',
      '--schedule',
      '0 3 * * *',
      '--url',
      'https://m.example/',
    ]
    expect(await mortise([...hubspot, ...more])).toMatchObject({ code: 0 })
    const text = await written()
    expect(text).toContain('$schema=https://m.example/schemas/manifest.json\n')
    expect(parse(text).integrations[0]).toMatchObject({
      name: 'sales',
      module: 'crm',
      read: { objects: [{ destination: 'hook', schedule: '0 3 * * *' }] },
    })
  })

  test('with --schedule none, the objects are read only when triggered', async () => {
    expect(await mortise([...hubspot, '--schedule', 'none'])).toMatchObject({ code: 0 })
    expect(parse(await written()).integrations[0].read.objects[0]).not.toHaveProperty('schedule')
    expect(await mortise(['validate'])).toMatchObject({ code: 0, stdout: '' })
  })

  test('what has to be chosen, and is not, is named', async () => {
    expect(await mortise(['init'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--provider') })
    expect(await mortise(['init', '--provider', 'hubspot'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--object'),
    })
    expect(await readdir(cwd)).toEqual([])
  })

  test('what would not validate is not written', async () => {
    expect(await mortise([...hubspot, '--schedule', '61 * * * *'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('schedule-valid-cron'),
    })
    expect(await mortise([...hubspot, '--module', 'typo'])).toMatchObject({ code: 3 })
    expect(await readdir(cwd)).toEqual([])
  })

  test('a provider of the user’s own files is taken, a misspelt one is pointed out', async () => {
    const { code, stderr } = await mortise(['init', '--provider', 'hubspott', '--object', 'contacts'])
    expect(code).toBe(0)
    expect(stderr).toContain('Did you mean hubspot?')
  })

  test('a provider that can only be proxied to gets a proxy, one that can do nothing is refused', async () => {
    expect(await mortise(['init', '--provider', 'aWeber'])).toMatchObject({ code: 0 })
    expect(parse(await written()).integrations).toEqual([
      { name: 'aWeber', provider: 'aWeber', proxy: { enabled: true } },
    ])
    expect(await mortise(['init', '--provider', 'adyen', '--force'])).toMatchObject({ code: 2 })
  })
})

describe('by questions', () => {
  test('asks for what the options leave open, what this release can do first', async () => {
    const answers = [
      'pipedrive',
      'legacy',
      ['deals', 'persons'],
      '',
      '',
      'hook',
      '0 * * * *',
      'https://example.com/hook',
    ]
    const { code, stderr, asked } = await mortise(['init'], answers)
    expect(code, stderr).toBe(0)
    const providers = asked[0]!.choices!
    const ready = providers.map(({ hint }) => hint === 'can be read')
    expect(ready.lastIndexOf(true)).toBeLessThan(ready.indexOf(false))
    expect(providers.find(({ value }) => value === 'hubspot')?.label).toBe('HubSpot (hubspot)')
    expect(parse(await written()).integrations[0]).toMatchObject({
      module: 'legacy',
      read: {
        objects: [{ objectName: 'deals', destination: 'hook', schedule: '0 * * * *' }, { objectName: 'persons' }],
      },
    })
    expect(stderr).toContain('mortise create destination hook https://example.com/hook')
    expect(await mortise(['validate'])).toMatchObject({ code: 0, stdout: '' })
  })

  test('fields that are the same for everybody are offered', async () => {
    const answers = [['productFields'], ['name', 'key'], 'hook', 'other', '15 6 * * 1-5', '']
    const { code, stderr } = await mortise(['init', '--provider', 'pipedrive', '--module', 'legacy'], answers)
    expect(code, stderr).toBe(0)
    expect(parse(await written()).integrations[0].read.objects[0]).toMatchObject({
      schedule: '15 6 * * 1-5',
      requiredFields: [{ fieldName: 'name' }, { fieldName: 'key' }],
    })
  })

  test('whoever walks away leaves nothing behind', async () => {
    expect(await mortise(['init'], ['hubspot', undefined])).toMatchObject({ code: 130 })
    // At the last question.
    const answers = [['contacts'], '', 'hook', '0 * * * *', undefined]
    expect(await mortise(['init', '--provider', 'hubspot'], answers)).toMatchObject({ code: 130 })
    expect(await readdir(cwd)).toEqual([])
  })
})

describe('a manifest that is there', () => {
  test.each(['mortise.yaml', 'amp.yml'])('%s is not overwritten, and with --force it is', async (name) => {
    await writeFile(join(cwd, name), 'mine')
    expect(await mortise(hubspot)).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') })
    expect(await readFile(join(cwd, name), 'utf8')).toBe('mine')
    expect(await mortise([...hubspot, '--force'])).toMatchObject({ code: 0 })
    expect(await readdir(cwd)).toEqual([name])
    expect(await readFile(join(cwd, name), 'utf8')).toContain('hubspot')
  })
})

test.each(['hubspot', 'pipedrive', 'wordPressSelfHosted'])(
  'every object of %s gives a manifest that validates',
  async (provider) => {
    const { packedProviders } = await import('../manifest/catalogue.ts')
    const [[module, objects]] = Object.entries((await packedProviders())[provider]!.readable!) as [[string, string[]]]
    const args = objects.flatMap((name) => ['--object', name])
    expect(
      await mortise(['init', '--provider', provider, ...(module ? ['--module', module] : []), ...args]),
    ).toMatchObject({ code: 0 })
    expect(await mortise(['validate'])).toMatchObject({ code: 0, stdout: '' })
  },
)
