import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import builtIn from '../built-in.generated.json' with { type: 'json' }
import { createConnector, NoConnector } from '../index.ts'
import { loadCatalogue } from './load-catalogue.ts'
import { readBuiltIn } from './read-built-in.ts'

let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mortise-catalogue-'))
})
afterEach(() => rm(dir, { recursive: true }))

const noHttp = () => Promise.reject(new Error('no request expected'))
const connection = { metadata: {}, credential: { scheme: 'none' } } as const

it('the generated form of the built-in files is what their YAML says (scripts/check-built-in.ts writes it)', async () => {
  const { outlines, faults } = await readBuiltIn()
  expect(faults).toEqual([])
  expect(builtIn).toEqual(outlines)
})

it('every provider of the facts is there, and only those with a file have a connector', async () => {
  const catalogue = await loadCatalogue({})
  expect(catalogue.list().length).toBeGreaterThanOrEqual(239)
  for (const entry of catalogue.list()) {
    expect(entry.authentication.length, entry.name).toBeGreaterThan(0)
    expect(entry.authType, entry.name).toBe(entry.authentication[0]?.scheme)
    if (entry.origin !== 'facts') continue
    expect(Object.values(entry.implemented), entry.name).not.toContain(true)
    expect(() => createConnector(entry, connection, noHttp), entry.name).toThrow(NoConnector)
  }
  const withFile = catalogue.list().filter(({ origin }) => origin === 'builtIn')
  expect(withFile.map(({ name }) => name)).toEqual(['hubspot', 'pipedrive', 'wordPressSelfHosted'])
  for (const { implemented, support } of withFile) {
    expect(implemented).toEqual({
      read: true,
      write: false,
      delete: false,
      proxy: false,
      subscribe: false,
      search: false,
    })
    expect(support.read).toBe(true)
  }
})

it('names are exact, and a near one is suggested', async () => {
  const catalogue = await loadCatalogue({})
  expect(catalogue.find('hubspot')?.displayName).toBe('HubSpot')
  expect(catalogue.find('HubSpot')).toBeUndefined()
  expect(catalogue.find('__proto__')).toBeUndefined()
  expect(catalogue.suggest('HubSpot')).toBe('hubspot')
  expect(catalogue.suggest('salesforcee')).toBe('salesforce')
  expect(catalogue.suggest('zzzzzzzzzzzz')).toBeUndefined()
})

it('a module that has no objects has no connector', async () => {
  const entry = (await loadCatalogue({})).find('pipedrive')
  if (entry === undefined) throw new Error('no pipedrive')
  expect(createConnector(entry, connection, noHttp).hasObject('leads')).toBe(true)
  expect(createConnector(entry, { ...connection, module: 'crm' }, noHttp).hasObject('leads')).toBe(false)
  expect(() => createConnector(entry, { ...connection, module: 'other' }, noHttp)).toThrow(NoConnector)
})

it('a broken file disables only itself', async () => {
  await writeFile(
    join(dir, 'good.yaml'),
    'name: good\nbaseUrl: https://good.example\nauthentication: [{ scheme: none }]\n',
  )
  await writeFile(join(dir, 'bad.yaml'), 'name: bad\ncolour: red\n')
  await writeFile(join(dir, 'hubspot.yaml'), 'name: hubspot\nobjects: 1\n')
  await writeFile(join(dir, 'notes.txt'), 'not a provider')
  await mkdir(join(dir, 'folder.yaml'))
  const catalogue = await loadCatalogue({ providerDirs: [dir] })
  expect(catalogue.find('good')?.origin).toBe('user')
  expect(catalogue.find('bad')).toBeUndefined()
  expect(catalogue.find('hubspot')?.origin).toBe('builtIn')
  expect(catalogue.faults.map(({ file, line, column }) => `${file.slice(dir.length + 1)}:${line}:${column}`)).toEqual([
    'bad.yaml:2:1',
    'folder.yaml:1:1',
    'hubspot.yaml:2:1',
  ])
})

it('a user’s file takes the place of a built-in one and is completed by the facts; a later folder wins', async () => {
  const text = (label: string) => `name: hubspot\ndisplayName: ${label}\n`
  const later = join(dir, 'later')
  await mkdir(later)
  await writeFile(join(dir, 'hubspot.yaml'), text('First'))
  await writeFile(join(later, 'hubspot.yaml'), text('Second'))
  const entry = (await loadCatalogue({ providerDirs: [dir, later] })).find('hubspot')
  expect(entry).toMatchObject({
    displayName: 'Second',
    origin: 'user',
    baseUrl: 'https://api.hubapi.com',
    authType: 'oauth2',
    support: { read: true },
    implemented: { read: false },
    healthCheck: { url: 'https://api.hubapi.com/integrations/v1/me' },
  })
})

it('a folder that cannot be read is reported', async () => {
  const { faults, list } = await loadCatalogue({ providerDirs: [join(dir, 'missing')] })
  expect(faults).toMatchObject([{ message: 'The folder cannot be read (ENOENT).' }])
  expect(list().length).toBeGreaterThan(200)
})
