import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readResults, readTable, resultTable } from './results.ts'

const here = new URL('.', import.meta.url)
const files = readdirSync(here).filter((file) => /^[sw]\d\d-/.test(file))

describe('the attacks', () => {
  it('each have their id in the name of the file, and a test that runs them', () => {
    const attacks = files.filter((file) => !file.endsWith('.test.ts'))
    expect(attacks.length).toBeGreaterThan(0)
    for (const file of attacks) {
      const id = `${file.charAt(0).toUpperCase()}${Number(file.slice(1, 3))}`
      expect(readFileSync(new URL(file, here), 'utf8'), file).toContain(`  id: '${id}',\n`)
      expect(files).toContain(file.replace(/\.ts$/, '.test.ts'))
    }
  })

  it('have their stored results as a table in docs/reliability.md', async () => {
    expect(await readTable()).toBe(resultTable(await readResults()))
  })
})
