import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeProgram } from './completion/describe-program.ts'
import { createProgram } from './run.ts'
import { testTerminal } from './testkit/test-terminal.ts'

/** Every command line of `mortise` in the documentation, against the program: its command and options exist. */

const root = fileURLToPath(new URL('../../..', import.meta.url))
const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md', 'examples/**/*.md'], {
  cwd: root,
  exclude: ['**/node_modules/**', 'CHANGELOG.md', 'docs/decisions/**'],
})
const program = createProgram(testTerminal())
const described = new Map(describeProgram(program).map((command) => [command.name, command]))

/** Command lines in code, in blocks or within text. A line that ends with a backslash continues. */
const lines = pages.flatMap((page) => {
  const text = readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8').replace(/\\\n\s*/g, ' ')
  const blocks = [...text.matchAll(/^ *```(?:sh|bash)\n([\s\S]*?)```/gm)].map(([, block = '']) => block)
  const inText = [...text.replace(/^ *```[\s\S]*?```/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
  return [...blocks.flatMap((block) => block.split('\n')), ...inText].flatMap((line) =>
    [...line.matchAll(/(?:^|[|(;]|\bdo|\buntil|&&) *(?:[A-Z_]+=\S+ )*mortise +([a-z][^|#;]*)/g)].map(
      ([, words = '']) => ({
        page,
        words: words.split(/\s+/).filter(Boolean),
      }),
    ),
  )
})

test('the commands and options of the documentation exist', () => {
  expect(lines.length).toBeGreaterThan(300)
  const faults = lines.flatMap(({ page, words }) => {
    let name = ''
    const rest = [...words]
    while (described.get(name)?.commands.some((below) => below.name === rest[0]))
      name = `${name} ${rest.shift()}`.trim()
    const { commands = [], options = [] } = described.get(name) ?? {}
    const flags = new Set(options.flatMap((option) => option.flags))
    const unknown = rest.flatMap((word) => /^--[a-z][a-z-]*/.exec(word) ?? []).filter((flag) => !flags.has(flag))
    // Words such as `mortise create …` name the commands below.
    const isCommand = name !== '' && (commands.length === 0 || /^(?:…|-|$)/.test(rest[0] ?? ''))
    return isCommand && unknown.length === 0 ? [] : [`${page}: mortise ${words.join(' ')}`]
  })
  expect(faults).toEqual([])
})

test('blocks of shell commands have no request lines', () => {
  const faults = pages.filter((page) =>
    /^ *```(?:sh|bash)\n(?:(?! *```).*\n)*? *(?:GET|PUT|POST|PATCH|DELETE) \//m.test(
      readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8'),
    ),
  )
  expect(faults).toEqual([])
})
