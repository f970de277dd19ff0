import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandLine } from '../packages/cli/src/command-line.ts'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import {
  type Installed,
  type ReadingKit,
  startReadingKit,
} from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { newId } from '../packages/server/src/kernel/db/index.ts'
import { temporaryFolder } from './cli.testkit.ts'

/** What a command, or a problem of the service, prints as a next step is a command line that works. */

const root = fileURLToPath(new URL('../', import.meta.url))

/**
 * Where a next step is printed: the sentences of the command line, and what the service says to do about a problem, and
 * what the console offers to copy.
 */
const sources = ['packages/cli/src/**/*.ts', 'packages/server/src/**/*.ts', 'packages/console/src/**/*.tsx']

/** Started, or answered, in tests of their own: `cli-dev`, `cli-sign-in`, `cli-connect`, and below. */
const interactive = ['dev', 'login', 'connect', 'init', 'listen']

let kit: ReadingKit
let installed: Installed
beforeAll(async () => {
  kit = await startReadingKit()
  installed = await kit.install()
})
afterAll(() => kit?.stop())

/** Every command line in backticks, with its placeholders filled, and where it stands. */
async function printedLines(): Promise<{ file: string; line: string }[]> {
  const found = []
  for (const pattern of sources)
    for await (const file of glob(pattern, { cwd: root })) {
      if (/\.test\.ts$|testkit/.test(file)) continue
      const text = (await readFile(join(root, file), 'utf8')).replace(/^\s*(?:\/?\*|\/\/).*$/gm, '')
      for (const [, literal] of text.matchAll(/\\?`(mortise [a-z][^`\\\n]*)\\?`/g))
        if (literal !== undefined) found.push({ file, line: literal })
      for (const [, copied = ''] of text.matchAll(/\b(?:command|text)=(?:"|\{`)(mortise [a-z][^"`\n]*)["`]/g))
        found.push(...copied.split(' && ').map((line) => ({ file, line })))
      for (const [, words] of text.matchAll(/commandLine\(([^()]+)\)/g))
        if (words !== undefined && !words.startsWith('...')) found.push({ file, line: commandLine(...wordsOf(words)) })
    }
  return found.map(({ file, line }) => ({ file, line: filled(line) }))
}

/** The arguments of a call in a source: literals as they are, everything else as a placeholder. */
function wordsOf(call: string): string[] {
  return call
    .split(/,\s*/)
    .filter(Boolean)
    .map((word) => /^'(.*)'$/.exec(word.trim())?.[1] ?? `\${${word.trim()}}`)
}

function filled(line: string): string {
  return line
    .replaceAll('${project}', 'default')
    .replaceAll(/'?\$\{resource\.name\}'?/g, 'topics')
    .replaceAll(/'?\$\{[^}]*(?:installation|first\.id)[^}]*\}'?/gi, (text) =>
      /integration/i.test(text) ? installed.name : installed.installationId,
    )
    .replaceAll(/'?\$\{[^}]*url[^}]*\}'?/gi, kit.app.url)
    .replaceAll(/'?\$\{[^}]*Id\}'?/g, newId())
    .replaceAll(/'?\$\{[^}]*\}'?/g, 'hook')
    .replaceAll(/\bID\b/g, newId())
    .replaceAll(/\bPATH\b/g, fileURLToPath(import.meta.url))
}

async function mortise(argv: string[], cwd: string) {
  const terminal = testTerminal({ cwd, env: { MORTISE_URL: kit.app.url, MORTISE_API_KEY: kit.app.apiKey } })
  return { code: await run(argv, terminal), ...terminal.output() }
}

it('every command line that is printed is one that the program takes', async () => {
  const lines = await printedLines()
  expect(lines.length).toBeGreaterThan(15)
  const folder = await temporaryFolder()
  const usageErrors = []
  for (const { file, line } of lines) {
    const argv = line.split(' ').slice(1)
    if (interactive.includes(argv[0] ?? '')) continue
    const { code, stderr } = await mortise(argv, folder)
    // An id that does not exist is a fault of the example; a manifest that is missing, of the folder.
    if (code === 2 && !stderr.includes('There is no manifest')) usageErrors.push({ file, line, stderr })
  }
  expect(usageErrors).toEqual([])
})

it('a command that only people may use names the sign-in to those with a key', async () => {
  const { code, stderr } = await mortise(['list', 'builders'], await temporaryFolder())
  expect([code, stderr]).toEqual([4, expect.stringContaining('run `mortise login`')])
})

describe('mortise init', () => {
  it.each([['https://example.com/hooks'], [undefined]])('prints steps that deploy the manifest (%s)', async (url) => {
    const folder = await temporaryFolder()
    const destination = url === undefined ? 'later' : 'known'
    const written = await mortise(
      [
        ...[
          'init',
          '--provider',
          'hubspot',
          '--object',
          'contacts',
          '--name',
          destination,
          '--destination',
          destination,
        ],
        ...(url === undefined ? [] : ['--destination-url', url]),
      ],
      folder,
    )
    const steps = [...written.stderr.matchAll(/^ {2}mortise (.+)$/gm)].map(([, step = '']) => step.split(' '))
    expect(steps).toHaveLength(3)
    for (const step of steps) expect({ step, ...(await mortise(step, folder)) }).toMatchObject({ step, code: 0 })
    expect(await kit.app.call('GET', `/projects/default/integrations/${destination}`)).toMatchObject({ status: 200 })
  })
})
