import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { kindOf, levels, missingReferences, read, references, required, rows } from './asvs-table.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const pages = ['SECURITY.md', 'docs/security/api-top-10.md', 'docs/security/asvs.md']

describe('docs/security/asvs.md', () => {
  it('has the 253 requirements of levels 1 and 2, each once, with its level', () => {
    expect(required).toHaveLength(253)
    expect(Object.values(levels).join('')).toHaveLength(345)
    expect(rows.map(({ id, level }) => ({ id, level }))).toEqual(required)
  })

  it('shows each by a test, or by a reason', () => {
    const bare = rows.filter(({ shownBy }) => references(shownBy).length === 0 && kindOf(shownBy) === undefined)
    expect(bare.map(({ id }) => id)).toEqual([])
  })

  it('counts its rows rightly', () => {
    const counted = [...read('docs/security/asvs.md').matchAll(/^\| ([A-Za-z ]+) \| (\d+) \| [^|]+ \|$/gm)]
    const shown = Object.fromEntries(counted.map(([, kind, count]) => [kind, Number(count)]))
    const found: Record<string, number> = {}
    for (const { shownBy } of rows) {
      const kind = kindOf(shownBy) ?? 'a file and a name'
      found[kind] = (found[kind] ?? 0) + 1
    }
    expect(shown).toEqual(found)
  })
})

describe.each(pages)('%s', (page) => {
  const text = read(page)

  it('refers only to tests that exist', () => {
    expect(missingReferences(text)).toEqual([])
  })

  it('writes every reference in the form that is checked', () => {
    const mentioned = [...text.matchAll(/\.test\.ts`/g)].length
    const explained = [...text.matchAll(/`scripts\/security-doc\.test\.ts` checks/g)].length
    expect(references(text)).toHaveLength(mentioned - explained)
  })

  it('refers only to files that exist where it names code', () => {
    const named = [...text.matchAll(/`((?:kernel|features)\/[^`]+)`/g)].map(([, path = '']) => path)
    expect(named.filter((path) => !existsSync(`${root}packages/server/src/${path}`))).toEqual([])
  })
})

it('the threat model and the Top 10 have a test in every row', () => {
  const boundaries = read('SECURITY.md').split('### Boundaries')[1]?.split('###')[0] ?? ''
  const risks = read('docs/security/api-top-10.md')
  const bare = `${boundaries}\n${risks}`
    .split('\n')
    .filter((line) => /^\| (?!Boundary|Risk|-)[A-Z]/.test(line))
    .filter((line) => references(line).length === 0)
  expect(bare).toEqual([])
  expect([...risks.matchAll(/^\| API(\d+) /gm)].map(([, number]) => number)).toEqual([...'123456789', '10'])
})
