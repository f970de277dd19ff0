import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))
const read = (file: string): string => readFileSync(root + file, 'utf8')
const pages = ['SECURITY.md', 'docs/security/api-top-10.md', 'docs/security/asvs.md']
const kinds = ['Documented', 'By design', 'Operator', 'Not applicable', 'Gap']

/** Levels of the requirements of ASVS 5.0.0: a digit for each requirement of a section, in their order. */
const levels = JSON.parse(read('scripts/asvs-levels.json')) as Record<string, string>
const required = Object.entries(levels)
  .flatMap(([section, digits]) => [...digits].map((level, at) => ({ id: `${section}.${at + 1}`, level })))
  .filter(({ level }) => level !== '3')

const rows = [...read('docs/security/asvs.md').matchAll(/^\| (V[\d.]+) \| (\d) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, id = '', level = '', subject = '', shownBy = '']) => ({ id, level, subject, shownBy }),
)

/** Tests that a text refers to: a file, and a name or a part of one. */
function references(text: string): { file: string; name: string }[] {
  return [...text.matchAll(/`([^`]+\.test\.ts)`: “([^”]+)”/g)].map(([, file = '', name = '']) => ({ file, name }))
}

/** The kind of an answer that is no test; undefined where its reason is missing. */
function kindOf(shownBy: string): string | undefined {
  return kinds.find((kind) => shownBy.startsWith(`${kind}: `) && shownBy.length > kind.length + 12)
}

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
    const missing = references(text).filter(
      ({ file, name }) => !existsSync(root + file) || !isNamed(read(sourceOf(file)), name),
    )
    expect(missing).toEqual([])
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

/** The file that names the cases of a test: the test of an attack only runs what stands in the file of the attack. */
function sourceOf(file: string): string {
  return /^e2e\/attacks\/[sw]\d/.test(file) ? file.replace(/\.test\.ts$/, '.ts') : file
}

/** Whether a test, a group of tests or a case of a table has this text in its quoted name. */
function isNamed(source: string, name: string): boolean {
  return source.split('\n').some((line) => {
    const at = line.indexOf(name)
    return at > 0 && /['"`]/.test(line.slice(0, at)) && !/^\s*(\*|\/\/)/.test(line)
  })
}
