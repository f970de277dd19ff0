import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuiltConsole, build } from './build.mjs'

let folder: string
let assets: BuiltConsole
beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'console-build-')), 'browser')
  assets = await build({ outDir: folder })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the list names every file, and what the page loads is among them', async () => {
  expect(JSON.parse(await readFile(join(folder, 'assets.json'), 'utf8'))).toEqual(assets)
  const { entry, css, preload, files } = assets
  expect(entry).toMatch(/^assets\/[\w-]+-[\w-]{8}\.js$/)
  for (const name of [entry, ...css, ...preload]) expect(files).toContain(name)
  const there = (await readdir(join(folder, 'assets'))).filter((name) => !/\.(br|gz)$/.test(name))
  expect(files).toEqual(there.map((name) => `assets/${name}`).toSorted())
  // The page comes from the service.
  expect(existsSync(join(folder, 'index.html'))).toBe(false)
})

test('each file has a copy that is compressed with Brotli and one with gzip', async () => {
  for (const name of assets.files) {
    const plain = await readFile(join(folder, name))
    expect(brotliDecompressSync(await readFile(join(folder, `${name}.br`))).equals(plain), name).toBe(true)
    expect(gunzipSync(await readFile(join(folder, `${name}.gz`))).equals(plain), name).toBe(true)
  }
})
