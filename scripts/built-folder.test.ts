import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildFolder, isBuilt } from './built-folder.mjs'

let root: string
let builds: number
const built = {
  folder: 'app/dist/browser',
  sources: ['app/src', 'app/index.html'],
  build: async (outDir: string) => {
    builds += 1
    await mkdir(outDir, { recursive: true })
    await writeFile(join(outDir, `built-${builds}`), '')
  },
}
const names = async () => (await readdir(join(root, built.folder))).toSorted()

beforeEach(async () => {
  builds = 0
  root = await mkdtemp(join(tmpdir(), 'built-folder-'))
  await mkdir(join(root, 'app/src'), { recursive: true })
  await writeFile(join(root, 'package-lock.json'), '{}')
  await writeFile(join(root, 'app/src/main.tsx'), 'one')
  await writeFile(join(root, 'app/index.html'), '<p>')
})
afterEach(() => rm(root, { recursive: true }))

test('a folder is built once for the same sources', async () => {
  expect(isBuilt(root, built)).toBe(false)
  expect(await buildFolder(root, built)).toBe(true)
  expect(await buildFolder(root, built)).toBe(true)
  expect([builds, isBuilt(root, built)]).toEqual([1, true])
  expect(await readdir(join(root, 'app/dist'))).toEqual(['browser'])
})

test.each(['app/src/main.tsx', 'app/index.html', 'package-lock.json'])(
  '%s builds it again, without what was there',
  async (file) => {
    await buildFolder(root, built)
    await writeFile(join(root, file), 'changed')
    expect(isBuilt(root, built)).toBe(false)
    await buildFolder(root, built)
    expect(await names()).toEqual(['built-2', 'source-hash'])
  },
)

test('tests of the sources do not', async () => {
  await buildFolder(root, built)
  await writeFile(join(root, 'app/src/main.test.tsx'), '')
  expect(isBuilt(root, built)).toBe(true)
})

test('a build that fails leaves what was there, and nothing half built', async () => {
  await buildFolder(root, built)
  await writeFile(join(root, 'app/src/main.tsx'), 'two')
  const failing = { ...built, build: () => Promise.reject(new Error('no such import')) }
  await expect(buildFolder(root, failing)).rejects.toThrow('no such import')
  expect(await names()).toEqual(['built-1', 'source-hash'])
  expect(await readdir(join(root, 'app/dist'))).toEqual(['browser'])
})

test('two builds at the same time end with a complete folder', async () => {
  expect(await Promise.all([buildFolder(root, built), buildFolder(root, built)])).toEqual([true, true])
  expect(isBuilt(root, built)).toBe(true)
  expect(await readFile(join(root, built.folder, 'source-hash'), 'utf8')).toMatch(/^[0-9a-f]{64}$/)
})
