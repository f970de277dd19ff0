import { execFile } from 'node:child_process'
import { appendFile, chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testCache } from '../testing/test-cache.testkit.ts'
import { builtInKey, readCachedCatalogue, userKey, writeCachedCatalogue } from './catalogue-cache.ts'
import type { Catalogue } from './entry.ts'
import { loadCatalogue } from './load-catalogue.ts'
import { readBuiltInSources, readUserSources } from './read-sources.ts'

const { sources } = readBuiltInSources()
const key = builtInKey()
let folder: string
let cache: string
/** The compiled catalogue of this package, as it is kept. */
let kept: Buffer
/**
 * A user's folder of one file: what holds for any part of the catalogue is shown by one that is compiled in no time.
 */
const own = { folder: '', key: '', kept: Buffer.alloc(0) }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mortise-catalogue-cache-'))
  await loadCatalogue({ cacheDir: testCache })
  const fileIn = async (dir: string, of: string) =>
    readFile(join(dir, (await readdir(dir)).find((file) => file.includes(of.slice(0, 32))) ?? ''))
  kept = await fileIn(testCache, key)
  own.folder = await mkdtemp(join(folder, 'own-'))
  await writeFile(join(own.folder, 'small.yaml'), good('small'))
  own.key = userKey(key, readUserSources([own.folder]).sources)
  const ownCache = await mkdtemp(join(folder, 'cache-'))
  writeCachedCatalogue(ownCache, 'built-in', key, kept)
  await loadCatalogue({ cacheDir: ownCache, providerDirs: [own.folder] })
  own.kept = await fileIn(ownCache, own.key)
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(async () => {
  cache = await mkdtemp(join(folder, 'cache-'))
})
afterEach(() => chmod(cache, 0o700))

const good = (name: string, label = name) =>
  `name: ${name}\ndisplayName: ${label}\nbaseUrl: https://a.example\nauthentication: [{ scheme: none }]\n`
const cached = () => readCachedCatalogue(cache, 'built-in', key)
const files = async (dir = cache) => (await readdir(dir)).sort()
const plain = (catalogue: Catalogue) => JSON.parse(JSON.stringify(catalogue.list())) as unknown

/** A copy of what a key follows from, so that a test can change it. */
async function copyOfThisPackage(): Promise<string> {
  const copy = await mkdtemp(join(folder, 'package-'))
  const root = join(import.meta.dirname, '../..')
  for (const part of ['package.json', 'providers', 'src'])
    await cp(join(root, part), join(copy, part), { recursive: true })
  return copy
}

async function keyIn(copy: string): Promise<string> {
  const module = pathToFileURL(join(copy, 'src/catalogue/catalogue-cache.ts')).href
  const script = `import { builtInKey } from ${JSON.stringify(module)}; console.log(builtInKey())`
  return (await runScript(script)).stdout.trim()
}

function runScript(script: string, ...args: string[]): Promise<{ stdout: string }> {
  const flags = ['--conditions=mortise-source', '--disable-warning=ExperimentalWarning', '--input-type=module']
  return promisify(execFile)(process.execPath, [...flags, '--eval', script, ...args])
}

/** What a first start of a copy reads: the names of providers, and whether it loaded the parser. */
async function firstStartOf(copy: string, dir: string): Promise<{ names: string[]; compiled: boolean }> {
  const module = pathToFileURL(join(copy, 'src/catalogue/load-catalogue.ts')).href
  const script = `import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
    const { loadCatalogue } = await import(${JSON.stringify(module)})
    const names = (await loadCatalogue({ cacheDir: process.argv[1] })).list().map(({ name }) => name)
    console.log(JSON.stringify({ names, compiled: loaded.some((url) => url.endsWith('pack-apart.ts')) }))`
  return JSON.parse((await runScript(script, dir)).stdout)
}

// Seven processes, each of which loads the sources.
describe('a catalogue that was built', { timeout: 300_000 }, () => {
  it('spares the first start all parsing, until a file or the code changes', async () => {
    const copy = await copyOfThisPackage()
    // The libraries of the package are found above the copy.
    await symlink(join(import.meta.dirname, '../../../../node_modules'), join(copy, 'node_modules'))
    const stripe = join(copy, 'providers/stripe.yaml')
    const lint = join(copy, 'src/catalogue/lint-file.ts')
    for (const name of await readdir(join(copy, 'providers')))
      if (!['stripe.yaml', 'notion.yaml'].includes(name)) await rm(join(copy, 'providers', name))
    const build = pathToFileURL(join(copy, 'src/catalogue/build-catalogue.ts')).href
    await runScript(`await import(${JSON.stringify(build)})`)
    const names = ['notion', 'stripe']
    expect(await firstStartOf(copy, cache)).toEqual({ names, compiled: false })

    const [code, text] = await Promise.all([readFile(lint), readFile(stripe)])
    await appendFile(lint, '\n')
    expect(await firstStartOf(copy, join(cache, 'code'))).toEqual({ names, compiled: true })
    await writeFile(lint, code)
    await appendFile(stripe, '\n')
    expect(await firstStartOf(copy, join(cache, 'file'))).toEqual({ names, compiled: true })
    await appendFile(stripe, 'colour: red\n')
    await expect(runScript(`await import(${JSON.stringify(build)})`)).rejects.toThrow('colour is an unknown key')
    await writeFile(stripe, text)
    expect(await firstStartOf(copy, join(cache, 'same'))).toEqual({ names, compiled: false })

    // The cache has it for the next start.
    await rm(join(copy, 'dist'), { recursive: true })
    expect(await firstStartOf(copy, join(cache, 'same'))).toEqual({ names, compiled: false })
  })
})

describe('a compiled catalogue', () => {
  it('is the catalogue that was compiled, objects and all', async () => {
    const fresh = await loadCatalogue()
    const warm = await loadCatalogue({ cacheDir: testCache })
    expect(plain(warm)).toEqual(plain(fresh))
    for (const name of ['hubspot', 'pipedrive', 'wordPressSelfHosted', 'salesforce']) {
      expect(warm.find(name)?.file, name).toEqual(fresh.find(name)?.file)
      expect(warm.find(name)?.file, name).toBe(warm.find(name)?.file)
    }
  })

  it('needs no parser of YAML and no schema', async () => {
    const script = `import { loadCatalogue } from ${JSON.stringify(new URL('./load-catalogue.ts', import.meta.url).href)}
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
      const catalogue = await loadCatalogue({ cacheDir: process.argv[1] })
      catalogue.find('pipedrive').file
      console.log(JSON.stringify([catalogue.list().length, loaded]))`
    await loadCatalogue({ cacheDir: testCache })
    const { stdout } = await runScript(script, testCache)
    expect(JSON.parse(stdout)).toEqual([sources.length, []])
  })

  it.each<[string, (bytes: Buffer, key: string) => Buffer]>([
    ['empty', () => Buffer.alloc(0)],
    ['cut off', (bytes) => bytes.subarray(0, bytes.length - 100)],
    ['longer than it was', (bytes) => Buffer.concat([bytes, Buffer.from('{}')])],
    [
      'changed in one byte',
      (bytes) => Buffer.from(bytes.map((byte, at) => (at === bytes.length - 50 ? byte ^ 1 : byte))),
    ],
    ['of other files', (bytes, of) => Buffer.from(bytes.toString().replace(of, 'f'.repeat(of.length)))],
    ['of another program', () => Buffer.from('{"providers":[]}\n')],
    ['one line without an end', () => Buffer.from('mortise-catalogue')],
  ])('that is %s is not used, and is made anew', async (_, change) => {
    writeCachedCatalogue(cache, 'built-in', key, change(kept, key))
    expect(cached()).toBeUndefined()
    writeCachedCatalogue(cache, 'built-in', key, kept)
    const ownCached = () => readCachedCatalogue(cache, 'user', own.key)
    writeCachedCatalogue(cache, 'user', own.key, change(own.kept, own.key))
    expect(ownCached()).toBeUndefined()
    const catalogue = await loadCatalogue({ cacheDir: cache, providerDirs: [own.folder] })
    expect(catalogue.list()).toHaveLength(sources.length + 1)
    expect(catalogue.faults).toEqual([])
    expect(ownCached()?.heads.map(({ name }) => name)).toEqual(['small'])
  })

  it('of the providers of this package is made anew as well', async () => {
    writeCachedCatalogue(cache, 'built-in', key, kept.subarray(0, -100))
    const catalogue = await loadCatalogue({ cacheDir: cache })
    expect(catalogue.list()).toHaveLength(sources.length)
    expect(catalogue.faults).toEqual([])
    expect(cached()?.heads).toHaveLength(sources.length)
  })

  it('of another release, or of other files, has another key', async () => {
    expect(builtInKey()).toBe(key)
    const { sources: mine } = readUserSources([own.folder])
    const [first] = mine
    if (first === undefined) throw new Error('no sources')
    expect(userKey(key, mine)).toBe(own.key)
    expect(userKey('another release', mine)).not.toBe(own.key)
    expect(userKey(key, [])).not.toBe(own.key)
    expect(userKey(key, [{ ...first, text: `${first.text} ` }])).not.toBe(own.key)
    const copy = await copyOfThisPackage()
    const before = await keyIn(copy)
    expect(await keyIn(copy)).toBe(before)
    const file = join(copy, 'providers', 'stripe.yaml')
    const bytes = await readFile(file)
    await writeFile(
      file,
      bytes.map((byte, at) => (at === 0 ? byte ^ 1 : byte)),
    )
    const afterFile = await keyIn(copy)
    expect(afterFile).not.toBe(before)
    await appendFile(join(copy, 'src/catalogue/lint-file.ts'), '\n')
    expect(await keyIn(copy)).not.toBe(afterFile)
  })

  it('is whole for whoever reads it while many write it', async () => {
    const script = `import { readCachedCatalogue, writeCachedCatalogue } from ${JSON.stringify(new URL('./catalogue-cache.ts', import.meta.url).href)}
      import { readFileSync } from 'node:fs'
      const [, cache, file, key] = process.argv
      const bytes = readFileSync(file)
      for (let at = 0; at < 30; at++) {
        writeCachedCatalogue(cache, 'built-in', key, bytes)
        if (readCachedCatalogue(cache, 'built-in', key) === undefined) throw new Error('not whole')
      }`
    const file = join(cache, 'bytes')
    await writeFile(file, kept)
    const writer = () => runScript(script, cache, file, key)
    await Promise.all([writer(), writer(), writer()])
    expect(cached()).toBeDefined()
    expect(await files()).toEqual(['bytes', `providers-built-in-${key.slice(0, 32)}.bin`])
  })

  it('is one of few: older ones go', () => {
    for (let at = 0; at < 10; at++) writeCachedCatalogue(cache, 'user', at.toString(16).padEnd(64, '0'), kept)
    writeCachedCatalogue(cache, 'built-in', key, kept)
    return expect(files()).resolves.toHaveLength(5)
  })

  it('is for nobody else to read', async () => {
    const inside = join(cache, 'new')
    writeCachedCatalogue(inside, 'built-in', key, kept)
    const { stdout } = await promisify(execFile)('ls', ['-ld', inside, join(inside, (await files(inside))[0] ?? '')])
    expect(stdout.match(/^\S{10}/gm)?.sort()).toEqual(['-rw-------', 'drwx------'])
  })

  it.each<[string, () => Promise<string>]>([
    [
      'a folder that cannot be written',
      async () => {
        writeCachedCatalogue(cache, 'built-in', key, kept)
        await chmod(cache, 0o500)
        return cache
      },
    ],
    ['a folder that cannot be made', () => Promise.resolve('/dev/null/cache')],
    [
      'a folder where the file should be',
      async () => {
        writeCachedCatalogue(cache, 'built-in', key, kept)
        await mkdir(join(cache, `providers-user-${own.key.slice(0, 32)}.bin`))
        return cache
      },
    ],
  ])('that has %s is no fault', async (_, folderOf) => {
    const { list, faults } = await loadCatalogue({ cacheDir: await folderOf(), providerDirs: [own.folder] })
    expect(list()).toHaveLength(sources.length + 1)
    expect(faults).toEqual([])
  })
})

describe('files of a user', () => {
  it('are kept apart, and are read again when they change', async () => {
    const mine = await mkdtemp(join(folder, 'own-'))
    await writeFile(join(mine, 'mine.yaml'), good('mine', 'One'))
    await writeFile(join(mine, 'broken.yaml'), 'name: broken\n')
    const load = () => loadCatalogue({ cacheDir: cache, providerDirs: [mine] })
    writeCachedCatalogue(cache, 'built-in', key, kept)
    for (let time = 0; time < 2; time++) {
      const { find, faults } = await load()
      expect(find('mine')?.displayName).toBe('One')
      expect(faults.map(({ file }) => file)).toEqual([join(mine, 'broken.yaml'), join(mine, 'broken.yaml')])
    }
    expect((await files()).map((name) => name.replace(/[0-9a-f]{32}/, '…'))).toEqual([
      'providers-built-in-….bin',
      'providers-user-….bin',
    ])
    await writeFile(join(mine, 'mine.yaml'), good('mine', 'Two'))
    expect((await load()).find('mine')?.displayName).toBe('Two')
    await rm(join(mine, 'broken.yaml'))
    expect((await load()).faults).toEqual([])
  })
})
