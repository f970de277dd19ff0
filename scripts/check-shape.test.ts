import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'

const folder = mkdtempSync(path.join(tmpdir(), 'mortise-shape-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const long = 'x'.repeat(110)

/** Checks a tree of one file, and returns what the check says. */
function check(text: string, listed: object = {}): string {
  mkdirSync(path.join(folder, 'scripts'), { recursive: true })
  mkdirSync(path.join(folder, 'packages'), { recursive: true })
  writeFileSync(path.join(folder, 'scripts/shape.json'), JSON.stringify(listed))
  writeFileSync(path.join(folder, 'packages/a.test.ts'), text)
  const { stderr, status } = spawnSync(process.execPath, [path.join(import.meta.dirname, 'check-shape.mjs'), folder], {
    encoding: 'utf8',
  })
  expect(status).toBe(stderr === '' ? 0 : 1)
  return stderr
}

it.each([
  ['a long comment', `// ${long} ${long}\n`, 'packages/a.test.ts:1: a comment of 224 columns; wrap it at 120'],
  ['a long line of a doc comment', `/**\n * ${long} ${long}\n */\n`, 'packages/a.test.ts:2: a comment of'],
  ['a long file', 'let a\n'.repeat(401), '401 lines; split the file (at most 400)'],
  ['a cast through unknown', 'const a = b as unknown as string\n', '1 casts through unknown'],
  [
    'one of several statuses',
    'expect([400, 422]).toContain(status)\n',
    '1 assertions that accept one of several statuses',
  ],
])('refuses %s', (_, text, finding) => {
  expect(check(text)).toContain(finding)
})

it('accepts what keeps to the rules, and long addresses', () => {
  expect(check(`// https://example.com/${long}${long}\nconst a = '${long}${long}'\nlet b\n`)).toBe('')
})

it('accepts what is listed, and no more', () => {
  const listed = { casts: { 'packages/a.test.ts': 1 } }
  const cast = 'const a = b as unknown as string\n'
  expect(check(cast, listed)).toBe('')
  expect(check(cast + cast, listed)).toContain('2 casts through unknown; find a type that holds (at most 1)')
})

it('asks to shrink a list that allows more than there is', () => {
  const listed = { lines: { 'packages/a.test.ts': 500 }, casts: { 'packages/gone.ts': 1 } }
  const said = check('let a\n', listed)
  expect(said).toContain('packages/a.test.ts: fewer lines than scripts/shape.json lists')
  expect(said).toContain('packages/gone.ts: fewer casts than scripts/shape.json lists')
})
