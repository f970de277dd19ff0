import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'

const scripts = import.meta.dirname
const own = JSON.parse(readFileSync(path.join(scripts, 'words.json'), 'utf8')) as { words: Record<string, unknown>[] }
/** The project's own words, without the files of the project that are excepted: a small tree has none of them. */
const list: Record<string, unknown> = { ...own, words: own.words.map(({ except: _, ...word }) => word) }
const roots: string[] = []

afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true })
})

/** Runs the check in a tree of these files, with the project's own words. */
function check(files: Record<string, string>, changes: Record<string, unknown> = {}) {
  const root = mkdtempSync(path.join(tmpdir(), 'mortise-words-'))
  roots.push(root)
  const all = { ...files, 'scripts/words.json': JSON.stringify({ ...list, notYet: [], ...changes }) }
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
  }
  const { status, stderr } = spawnSync(process.execPath, [path.join(scripts, 'check-words.mjs'), root], {
    encoding: 'utf8',
  })
  return { status, lines: stderr.split('\n').filter((line) => line !== '') }
}

const dialect = [
  'Failed requests climb the ladder.',
  'Each request waits for its turn.',
  'A long read gives way to others.',
  'Listeners are told of it.',
  'The answer tells how many there are.',
  'Your destination hears of it.',
  'Messages are held.',
  'The key is sealed.',
  'These headers are believed.',
  'The provider is asked for the fields.',
  'The read goes on after a restart.',
  'After a day it is gone.',
  'It stops working at once.',
  'It may come twice, but never not at all.',
  'Whoever has the link can connect.',
  'It is no copy of your data.',
  'A link is good for ten minutes.',
  'The option may stand several times.',
  'It runs on a database of its own.',
  'The organisation has no invites.',
  'Requests are honoured.',
  'The catalogue has 240 providers.',
  'Renewing needs the own grant.',
  'A patient request waits.',
]

const plain = [
  'A rate limit turns requests away. Turn it off with one setting. In turn, reads take turns.',
  'Use the provider’s URL in place of the host. The record is updated in place.',
  'The header tells you how long to wait. Tell your customers about it.',
  'A folder can hold several files, and the field holds for longer.',
  'The command asks for a password.',
  'There is no limit. The key is no longer valid. It is no more than a test.',
  'The box stands for a record.',
  'It works offline, and ends on its own. Put it on top, and go on to the next page.',
  'Once a minute, Mortise reads several moments at a given place.',
  'There is room for more. Conversations of Intercom are read too. Visit the site. It is a good idea.',
  'Otherwise, likewise and exercise are American too.',
]

const programs = [
  `log.warn({ err }, 'it is gone')`,
  `export const a = problem({ title: 'Nobody was told' })`,
  'const page = html`<main><h1>${title}</h1><p>Your link is <b>gone</b> now.</p></main>`',
  `option('--follow', 'goes on with ' +\n  'what is written from now on')`,
  "const a = /[`'\"]/.test(text) ? `${`${x}`}` : 'the read goes on now'",
]

const notProse = [
  ['a code span', 'docs/a.md', 'Run `told` now.'],
  ['a code block', 'docs/b.md', '```sh\nit is told\n```\n\nText.'],
  ['a URL', 'docs/c.md', 'See [this](https://example.com/it-is-told) or https://example.com/told.'],
  ['what a script wrote', 'docs/d.md', '<!-- counts -->\nIt is told.\n<!-- /counts -->\n\nText.'],
  ['the quoted name of a test', 'docs/e.md', 'Shown by `a.test.ts`: “is told once”, “and is gone”'],
  ['words in different cells', 'docs/f.md', '| It is | gone |\n|---|---|\n| a | b |'],
  ['a comment of another folder', 'examples/a/src/a.ts', '/** It is told. */ // It goes on.\nexport {}'],
  ['SQL', 'packages/cli/src/b.ts', "await db.query('select held from told where it is gone')"],
  ['a short string that is a value', 'packages/cli/src/c.ts', "const status = 'held'"],
] as const

describe('the check of words finds', () => {
  const files = (texts: string[], name: (index: number) => string) =>
    Object.fromEntries(texts.map((text, index) => [name(index), `// one line\n${text}\n`]))

  it('our dialect in Markdown', () => {
    const { status, lines } = check(files(dialect, (index) => `docs/${index}.md`))
    for (const [index, text] of dialect.entries()) {
      const found = lines.filter((line) => line.startsWith(`docs/${index}.md:1: “`))
      expect(found, text).not.toEqual([])
      expect(found[0]).toMatch(/” → \S.* \| /)
      expect(found[0]).toContain(text)
    }
    expect(status).toBe(1)
  })

  it('our dialect in what a program says, with its line', () => {
    const { status, lines } = check(files(programs, (index) => `packages/server/src/${index}.ts`))
    for (const [index, source] of programs.entries())
      expect(
        lines.filter((line) => line.startsWith(`packages/server/src/${index}.ts:2: “`)),
        source,
      ).toHaveLength(1)
    expect(status).toBe(1)
  })

  it('our dialect in comments of listed folders, with its line', () => {
    const source =
      "const a = '/* it is told */'\n/**\n * Reads it.\n *\n * @throws where it is told\n */\n// It\n// is gone.\n"
    const { lines } = check({ 'packages/a/src/a.ts': source }, { comments: ['packages/a/**/*.ts'] })
    expect(lines.map((line) => line.split(' →')[0])).toEqual([
      'packages/a/src/a.ts:5: “told”',
      'packages/a/src/a.ts:7: “is gone”',
      expect.stringContaining('2 findings'),
    ])
  })

  it('a sentence of more than forty words', () => {
    const sentence = (count: number) => `A${' word'.repeat(count - 1)}.`
    const { lines } = check({ 'docs/guide.md': `${sentence(40)} ${sentence(41)}` })
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain('docs/guide.md:1: a sentence of 41 words → split it')
  })
})

describe('the check of words leaves', () => {
  it('plain English', () => {
    const files = Object.fromEntries(plain.map((text, index) => [`docs/${index}.md`, text]))
    expect(check(files)).toEqual({ status: 0, lines: [] })
  })

  it(`what is not prose: ${notProse.map(([what]) => what).join(', ')}`, () => {
    expect(check(Object.fromEntries(notProse.map(([, file, text]) => [file, text])))).toEqual({ status: 0, lines: [] })
  })

  it('a word in a file that is excepted, and says when no such file is checked', () => {
    const words = [
      { find: 'drains?', write: 'delivery worker', except: { 'docs/nodes.md': 'Kubernetes drains nodes.' } },
    ]
    expect(check({ 'docs/nodes.md': 'It drains.' }, { words })).toEqual({ status: 0, lines: [] })
    expect(check({ 'docs/other.md': 'Text.' }, { words }).lines[0]).toContain('docs/nodes.md')
  })
})

describe('the list of files that are not rewritten yet', () => {
  it('excuses a file', () => {
    expect(check({ 'README.md': 'It is gone.' }, { notYet: ['README.md'] })).toEqual({ status: 0, lines: [] })
  })

  it('has no file that passes, and none that is not there', () => {
    const { status, lines } = check({ 'README.md': 'Fine.' }, { notYet: ['README.md', 'docs/old.md'] })
    expect(status).toBe(1)
    expect(lines[0]).toContain('README.md passes; remove it from notYet')
    expect(lines[1]).toContain('notYet names docs/old.md')
  })
})
