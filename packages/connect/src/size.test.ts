import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { build } from '../scripts/build.mjs'
import { languages } from './messages/languages.ts'

const scriptBytesMax = 60 * 1024
const languageBytesMax = 6 * 1024

test('the scripts stay small, and each language is a small file that both scripts load', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'connect-size-'))
  const { connect, hosted, languages: named, files } = await build({ outDir: folder })
  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8')
  const size = (file: string) => gzipSync(read(file), { level: 9 }).length
  const others = files.filter((file) => file !== connect && file !== hosted)
  expect(others.map((file) => file.split('.')[0])).toEqual(['de', 'es', 'fr', 'ja', 'pt'])
  expect(Object.entries(named).toSorted()).toEqual(others.map((file) => [file.split('.')[0], file]))
  for (const [index, texts] of (await Promise.all(Object.values(languages).map((load) => load()))).entries()) {
    const file = others[index] ?? ''
    expect(read(file)).toContain(texts['trouble.offline.text'])
    expect(size(file)).toBeLessThanOrEqual(languageBytesMax)
    for (const script of [connect, hosted]) {
      expect(read(script)).toContain(`import(\`./${file}\`)`)
      expect(read(script)).not.toContain(texts['trouble.offline.text'])
    }
  }
  for (const file of [connect, hosted]) expect(size(file)).toBeLessThanOrEqual(scriptBytesMax)
})
