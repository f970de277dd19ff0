import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuiltConsole, build } from '../scripts/build.mjs'

/** Bytes of scripts with gzip, until the first page after a sign-in is there. */
const firstRouteBytesMax = 250 * 1024
/** The editor of manifests and bodies is the largest part, and loads where somebody edits. */
const editorBytesMax = 150 * 1024
/** The console with its first page, in one script. */
const entryBytesMax = 140 * 1024
const chunkBytesMax = 40 * 1024
const styleBytesMax = 12 * 1024

let folder: string
let assets: BuiltConsole
const code = new Map<string, string>()
const bytes = new Map<string, number>()

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'console-size-')), 'browser')
  assets = await build({ outDir: folder })
  for (const name of assets.files) {
    code.set(name, await readFile(join(folder, name), 'utf8'))
    bytes.set(name, (await stat(join(folder, `${name}.gz`))).size)
  }
})
afterAll(() => rm(join(folder, '..'), { recursive: true, force: true }))

const scripts = () => assets.files.filter((name) => name.endsWith('.js'))

/** What a script imports before it runs, and what those import: in built files, `from"./x.js"` or `import"./x.js"`. */
function withImports(first: string, found = new Set<string>()): Set<string> {
  if (found.has(first)) return found
  found.add(first)
  for (const [, name] of (code.get(first) ?? '').matchAll(/(?:\bfrom|\bimport)\s*["'`]\.\/([^"'`]+\.js)["'`]/g))
    withImports(`assets/${name}`, found)
  return found
}

function chunk(start: string): string {
  const found = scripts().filter((name) => name.startsWith(`assets/${start}-`))
  expect(found, start).toHaveLength(1)
  return found[0] ?? ''
}

const sum = (names: Iterable<string>) => [...names].reduce((total, name) => total + (bytes.get(name) ?? 0), 0)

test('the first page after a sign-in needs no more than 250 KB of scripts', () => {
  const needed = withImports(assets.entry)
  for (const name of assets.preload) expect(needed).toContain(name)
  expect(code.get(assets.entry), 'the first page is in it').toContain('Needs attention')
  // What the page can be used without: windows, menus and notices do not hold it up.
  const later = ['window', 'account-menu', 'toaster']
  for (const name of [...later, 'code-editor', 'diff-view', 'chart']) expect(needed).not.toContain(chunk(name))
  for (const name of [...later, 'chart']) withImports(chunk(name), needed)
  for (const name of needed) expect(existsSync(join(folder, name)), name).toBe(true)
  expect(sum(needed)).toBeLessThanOrEqual(firstRouteBytesMax)
})

test('each further part is small, and loads when a page needs it', () => {
  const large = (name: string) =>
    name === assets.entry ? entryBytesMax : name === chunk('code-editor') ? editorBytesMax : chunkBytesMax
  for (const name of scripts()) expect(bytes.get(name), name).toBeLessThanOrEqual(large(name))
  expect(sum(assets.css)).toBeLessThanOrEqual(styleBytesMax)
})
