import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readResults, readTable, resultTable } from './results.ts'

const here = new URL('.', import.meta.url)
const files = readdirSync(here).filter((file) => /^[sw]\d\d-/.test(file))

describe('the attacks', () => {
  it('are S1 to S19, each with its id in the name of the file, and a test that runs them', () => {
    const attacks = files.filter((file) => !file.endsWith('.test.ts'))
    const numbers = attacks.filter((file) => file.startsWith('s')).map((file) => Number(file.slice(1, 3)))
    expect(numbers.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 19 }, (_, at) => at + 1))
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
