import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { long } from '../vitest.config.ts'

/** The test commands of the documentation, against the files that `npm test` and `npm run test:long` run. */

const root = fileURLToPath(new URL('..', import.meta.url))
const pages = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'packages/*/*.md'], {
  cwd: root,
  exclude: ['**/node_modules/**', 'CHANGELOG.md', 'docs/decisions/**'],
})
const filesOf = (patterns: string[], exclude: string[] = []) =>
  globSync(patterns, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**', ...exclude] })
const run = {
  test: filesOf(['{packages,e2e,bench,examples,scripts}/**/*.test.{ts,tsx}'], long),
  'test:long': filesOf(long),
}

interface TestCommand {
  page: string
  /** Number of the code block on the page. Commands within text share a number. */
  block: number
  script: keyof typeof run
  path: string
}

const commands = pages.flatMap((page) => {
  const texts = readFileSync(new URL(`../${page}`, import.meta.url), 'utf8').split(/^```/m)
  return texts.flatMap((text, at) => commandsIn(text).map((command) => ({ page, block: at % 2 && at, ...command })))
})

it('each path in a test command of the documentation has a test that the command runs', () => {
  expect(commands.length).toBeGreaterThan(20)
  const faults = commands.filter(({ script, path }) => !run[script].some((file) => file.includes(path)))
  expect(faults).toEqual([])
})

it('where `npm test` with a path leaves out long tests, the same block runs them', () => {
  const leftOut = commands
    .filter(({ script }) => script === 'test')
    .flatMap(({ page, block, path }) => {
      const others = commands.filter((one) => one.script === 'test:long' && one.page === page && one.block === block)
      const missing = run['test:long']
        .filter((file) => file.includes(path))
        .filter((file) => !others.some((other) => file.includes(other.path)))
      return missing.map((file) => `${page}: npm run test:long -- ${file}`)
    })
  expect(leftOut).toEqual([])
})

it('each long test that `.ci/run` names is one', () => {
  const script = readFileSync(new URL('../.ci/run', import.meta.url), 'utf8')
  const named = [...script.matchAll(/^(?:long_forms|applications)=\(([^)]+)\)/gm)].flatMap(([, list = '']) =>
    list.split(/\s+/).filter((path) => path !== ''),
  )
  const paths = named.flatMap(expanded)
  expect(paths.length).toBeGreaterThan(20)
  expect(paths.filter((path) => !run['test:long'].some((file) => file.includes(path)))).toEqual([])
})

/** Returns each path of each `npm test -- PATH…` and `npm run test:long -- PATH…` in a text. */
function commandsIn(text: string): Pick<TestCommand, 'script' | 'path'>[] {
  return [...text.matchAll(/npm (?:run )?(test(?::long)?) -- ([^`\n#]+)/g)].flatMap(([, script, rest = '']) => {
    const paths = rest
      .replace(/ (?:-t '[^']*'|--project \w+)/g, '')
      .split(' ')
      .filter((word) => word !== '' && !word.startsWith('-'))
    return paths.flatMap(expanded).map((path) => ({ script: script as keyof typeof run, path }))
  })
}

/** Expands `{a,b}` as a shell does. */
function expanded(path: string): string[] {
  const [, before, choices, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(path) ?? []
  return choices === undefined ? [path] : choices.split(',').map((choice) => `${before}${choice}${after}`)
}
