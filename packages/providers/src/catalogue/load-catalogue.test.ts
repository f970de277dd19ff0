import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createConnector, NoConnector, type ProviderHttp } from '../index.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { loadCatalogue } from './load-catalogue.ts'

let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mortise-catalogue-'))
})
afterEach(() => rm(dir, { recursive: true }))

const noHttp = () => Promise.reject(new Error('no request expected'))
const connection = { metadata: {}, credential: { scheme: 'none' } } as const

it('every file of this package is in the catalogue, without a fault', async () => {
  const catalogue = await loadCatalogue({ cacheDir: testCache })
  expect(catalogue.faults).toEqual([])
  expect(catalogue.list().length).toBeGreaterThanOrEqual(239)
  for (const entry of catalogue.list()) {
    expect(entry.authentication.length, entry.name).toBeGreaterThan(0)
    expect(entry.authType, entry.name).toBe(entry.authentication[0]?.scheme)
    expect(entry.origin, entry.name).toBe('builtIn')
    if (!entry.implemented.read && !entry.implemented.subscribe) {
      expect(() => createConnector(entry, connection, noHttp), entry.name).toThrow(NoConnector)
    }
  }
})

it('what is implemented follows from the file', async () => {
  const catalogue = await loadCatalogue({ cacheDir: testCache })
  const implementedBy = (name: string) => catalogue.find(name)?.implemented
  const proxied = { read: false, write: false, delete: false, proxy: true, subscribe: false, search: false }
  for (const name of ['hubspot', 'pipedrive', 'wordPressSelfHosted']) {
    expect(implementedBy(name), name).toMatchObject({ read: true, write: true, delete: true, proxy: true })
  }
  expect(implementedBy('figma')).toEqual(proxied)
  // Its base URL is not known.
  expect(implementedBy('aws')).toEqual({ ...proxied, proxy: false })
  // Nothing confirms its base URL.
  expect(implementedBy('workday')).toEqual({ ...proxied, proxy: false })
  // Requests go to the base URL of the module.
  expect(catalogue.find('hubspot')?.modules['crm']?.implemented).toMatchObject({ read: true, proxy: true })
})

it('batches follow from the objects: the number that all of them accept', async () => {
  const object = (create: string) =>
    `{ fields: [{ source: static, fields: { name: string } }], write: { create: { path: /x }, batch: { create: ${create} } } }`
  const batch = (max: number) => `{ max: ${max}, path: /many, answer: { results: data } }`
  await writeFile(
    join(dir, 'many.yaml'),
    `name: many\nbaseUrl: https://many.example\nauthentication: [{ scheme: none }]\nobjects:\n  a: ${object(batch(50))}\n  b: ${object(batch(20))}\n`,
  )
  const catalogue = await loadCatalogue({ cacheDir: testCache, providerDirs: [dir] })
  expect(catalogue.faults).toEqual([])
  expect(catalogue.find('many')?.batchWrite).toEqual({ create: 20 })
  expect(catalogue.find('salesforce')?.modules['crm']?.batchWrite).toEqual({ create: 200, update: 200 })
  expect(catalogue.find('pipedrive')).not.toHaveProperty('batchWrite')
})

it('what a file lists as undescribed can be used in manifests, until the file describes it', async () => {
  const file = (rest: string) =>
    `name: some\nbaseUrl: https://some.example\nauthentication: [{ scheme: none }]\nundescribed: [read, write]\n${rest}`
  const found = async (rest: string) => {
    await writeFile(join(dir, 'some.yaml'), file(rest))
    return (await loadCatalogue({ cacheDir: testCache, providerDirs: [dir] })).find('some')
  }
  expect(await found('')).toMatchObject({ implemented: { read: false }, undescribed: ['read', 'write'] })
  expect(await found('objects: { things: { read: { path: /things } } }\n')).toMatchObject({
    implemented: { read: true, write: false },
    undescribed: ['write'],
  })
})

it('a file that still declares its support is refused, at the root and in modules, with what to do', async () => {
  const support = 'support: { read: true }'
  await writeFile(
    join(dir, 'old.yaml'),
    `name: old\nbaseUrl: https://old.example\nauthentication: [{ scheme: none }]\n${support}\nmodules:\n  crm:\n    ${support}\n`,
  )
  const { faults } = await loadCatalogue({ cacheDir: testCache, providerDirs: [dir] })
  expect(faults.map(({ line, message }) => `${line} ${message}`)).toEqual([
    '4 support is derived from the rest of the file: remove it.',
    '7 modules.crm.support is derived from the rest of the file: remove it.',
  ])
})

it('names are exact, and a near one is suggested', async () => {
  const catalogue = await loadCatalogue({ cacheDir: testCache })
  expect(catalogue.find('hubspot')?.displayName).toBe('HubSpot')
  expect(catalogue.find('HubSpot')).toBeUndefined()
  expect(catalogue.find('__proto__')).toBeUndefined()
  expect(catalogue.suggest('HubSpot')).toBe('hubspot')
  expect(catalogue.suggest('salesforcee')).toBe('salesforce')
  expect(catalogue.suggest('zzzzzzzzzzzz')).toBeUndefined()
})

it('a module that has no objects has no connector', async () => {
  const entry = (await loadCatalogue({ cacheDir: testCache })).find('pipedrive')
  if (entry === undefined) throw new Error('no pipedrive')
  expect(createConnector(entry, connection, noHttp).hasObject('webhooks')).toBe(true)
  expect(createConnector(entry, { ...connection, module: 'crm' }, noHttp).hasObject('webhooks')).toBe(false)
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
  const catalogue = await loadCatalogue({ cacheDir: testCache, providerDirs: [dir] })
  expect(catalogue.find('good')?.origin).toBe('user')
  expect(catalogue.find('bad')).toBeUndefined()
  expect(catalogue.find('hubspot')?.origin).toBe('builtIn')
  expect(catalogue.faults.map(({ file, line, column }) => `${file.slice(dir.length + 1)}:${line}:${column}`)).toEqual([
    // What the file lacks is told of its beginning.
    'bad.yaml:1:1',
    'bad.yaml:1:1',
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
  const entry = (await loadCatalogue({ cacheDir: testCache, providerDirs: [dir, later] })).find('hubspot')
  expect(entry).toMatchObject({
    displayName: 'Second',
    origin: 'user',
    baseUrl: 'https://api.hubapi.com',
    authType: 'oauth2',
    implemented: { read: false },
    healthCheck: { url: 'https://api.hubapi.com/integrations/v1/me' },
  })
  expect(entry, 'nobody compared the file of the user').not.toHaveProperty('documented')
})

it('a user’s file that was compared, or has objects, does not inherit what the built-in one lacks', async () => {
  const documented = 'documented: { date: 2026-11-26, parts: [objects] }'
  const objects =
    'objects: { messages: { read: { path: /users/me/messages, records: messages, paging: { kind: none } } } }'
  await writeFile(join(dir, 'gmail.yaml'), `name: gmail\n${documented}\n${objects}\n`)
  const entry = (await loadCatalogue({ cacheDir: testCache, providerDirs: [dir] })).find('gmail')
  expect(entry).toMatchObject({ origin: 'user', documented: { date: '2026-11-26' }, implemented: { read: true } })
  expect(entry).not.toHaveProperty('confidence')
  expect(entry).not.toHaveProperty('seeAlso')
})

it('a user’s file in the place of a built-in one may keep its objects', async () => {
  await writeFile(join(dir, 'hubspot.yaml'), 'name: hubspot\ndisplayName: Ours\nobjectsOf: hubspot\n')
  const entry = (await loadCatalogue({ cacheDir: testCache, providerDirs: [dir] })).find('hubspot')
  expect(entry).toMatchObject({ displayName: 'Ours', origin: 'user', implemented: { read: true } })
})

it('a file may have the objects of another one: another way into the same API', async () => {
  const head = (name: string) =>
    `name: ${name}\nbaseUrl: https://${name}.example\nauthentication: [{ scheme: apiKey, attach: header, name: X-Key }]\n`
  await writeFile(
    join(dir, 'main.yaml'),
    `${head('main')}errors: { message: [said] }\ntemplates: { base: { read: { path: '/{{object}}' } } }\nobjects: { things: { like: base } }\n`,
  )
  await writeFile(join(dir, 'second.yaml'), `${head('second')}objectsOf: main\n`)
  await writeFile(join(dir, 'third.yaml'), `${head('third')}objectsOf: nowhere\n`)
  await writeFile(join(dir, 'fourth.yaml'), `${head('fourth')}objectsOf: second\n`)
  const catalogue = await loadCatalogue({ cacheDir: testCache, providerDirs: [dir] })
  expect(
    catalogue.faults.map(({ file, line, message }) => `${file.slice(dir.length + 1)}:${line}: ${message}`),
  ).toEqual([
    'fourth.yaml:4: objectsOf is not a provider with objects ("second").',
    'third.yaml:4: objectsOf is not a provider with objects ("nowhere"); did you mean "cohere"?',
  ])
  const entry = catalogue.find('second')
  if (entry === undefined) throw new Error('no second')
  expect(entry.implemented.read).toBe(true)
  const asked: string[] = []
  const http: ProviderHttp = async ({ url }) => {
    asked.push(url)
    return { status: 400, headers: {}, body: '{"said":"no"}' }
  }
  const connector = createConnector(entry, { metadata: {}, credential: { scheme: 'apiKey', apiKey: 'k' } }, http)
  await expect(connector.readPage({ object: 'things', fields: ['id'] })).rejects.toMatchObject({
    providerMessage: 'no',
  })
  expect(asked).toEqual(['https://second.example/things'])
})

it('a folder that cannot be read is reported', async () => {
  const { faults, list } = await loadCatalogue({ cacheDir: testCache, providerDirs: [join(dir, 'missing')] })
  expect(faults).toMatchObject([{ message: 'The folder cannot be read (ENOENT).' }])
  expect(list().length).toBeGreaterThan(200)
})
