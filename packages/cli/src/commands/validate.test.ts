import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { YAML_BYTES_MAX } from '@mortise/manifest'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../run.ts'
import { testTerminal } from '../testkit/test-terminal.ts'

let root: string
let cwd: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'mortise-validate-'))
})
afterAll(() => rm(root, { recursive: true }))
beforeEach(async () => {
  cwd = await mkdtemp(join(root, 'folder-'))
})

const integration = (read: string, provider = 'hubspot') =>
  `specVersion: 1.0.0\nintegrations:\n  - name: crm\n    provider: ${provider}\n    read:\n      objects:\n${read}`
const object = (lines = '') =>
  `        - objectName: contacts\n          destination: hook\n          schedule: '0 * * * *'\n${lines}`
const fine = integration(object())

async function validate(args: string[], options: { stdin?: string; colors?: boolean } = {}) {
  const terminal = testTerminal({ cwd, ...options })
  const code = await run(['validate', ...args], terminal)
  return { code, ...terminal.output() }
}
const write = (name: string, text: string | Buffer) => writeFile(join(cwd, name), text)

describe('where the manifest is', () => {
  test.each(['mortise.yaml', 'mortise.yml', 'amp.yaml', 'amp.yml'])(
    '%s of the current folder is found',
    async (name) => {
      await write(name, fine)
      expect(await validate([])).toEqual({ code: 0, stdout: '', stderr: `valid: ${name}\n` })
    },
  )

  test('several in a folder are named, and none is chosen', async () => {
    await mkdir(join(cwd, 'sub'))
    await write('sub/mortise.yaml', fine)
    await write('sub/amp.yml', fine)
    expect(await validate(['sub'])).toMatchObject({ code: 2, stderr: expect.stringContaining('mortise.yaml, amp.yml') })
    expect(await validate(['sub/amp.yml'])).toMatchObject({ code: 0, stderr: 'valid: sub/amp.yml\n' })
  })

  test('a folder without one, and a path that leads nowhere, are said', async () => {
    expect(await validate([])).toMatchObject({ code: 2, stderr: expect.stringContaining('no manifest in') })
    expect(await validate(['gone.yaml'])).toMatchObject({ code: 2, stderr: expect.stringContaining('gone.yaml') })
  })

  test('standard input is read with -', async () => {
    expect(await validate(['-'], { stdin: fine })).toMatchObject({ code: 0, stderr: 'valid: stdin\n' })
  })

  test('what is larger than a manifest, or no text, is told', async () => {
    await write('large.yaml', '#'.repeat(YAML_BYTES_MAX + 1))
    expect(await validate(['large.yaml'])).toMatchObject({ code: 3, stdout: expect.stringContaining('yaml-size') })
    await write('binary.yaml', Buffer.from([0x61, 0xff, 0xfe]))
    expect(await validate(['binary.yaml'])).toMatchObject({ code: 2, stderr: expect.stringContaining('UTF-8') })
  })
})

describe('findings', () => {
  test('are shown with place, source line, caret and suggestion', async () => {
    await write('mortise.yaml', integration(object("          delivery:\n            mode: 'autoo'\n")))
    expect(await validate([])).toEqual({
      code: 3,
      stdout: [
        'mortise.yaml:11:19 error delivery-mode-enum mode is `auto` or `onRequest`, not the text "autoo".',
        "    11 |             mode: 'autoo'",
        '       |                   ^',
        '       Did you mean `auto`?',
        '',
      ].join('\n'),
      stderr: '1 error, 0 warnings\n',
    })
  })

  test('the caret stands below the place beside wide characters and in long lines', async () => {
    await write('wide.yaml', integration(`        - {objectName: 日本, schedule: x, destination: hook}\n`))
    const [, source, caret] = (await validate(['wide.yaml', '--no-strict'])).stdout.split('\n')
    // Two wide characters stand before it: two cells more than characters.
    expect(caret!.indexOf('^')).toBe(source!.indexOf('schedule: x') + 'schedule: '.length + 2)

    const long = `        - {objectName: ${'a'.repeat(500)}, schedule: x, destination: hook}\n`
    await write('long.yaml', integration(long))
    const [, cut, below] = (await validate(['long.yaml'])).stdout.split('\n')
    expect(cut!.length).toBeLessThan(140)
    expect(cut!.slice(below!.indexOf('^'))).toMatch(/^x,/)
  })

  test('nothing that the manifest holds steers the terminal', async () => {
    await write('mortise.yaml', integration(object('          "\\e[31m\\u202E": 1\n          \u202E\u009B: 1\n')))
    const { stdout } = await validate([])
    for (const character of ['\u001b', '\u009b', '\u202e']) expect(stdout).not.toContain(character)
    expect(stdout).toContain('\\u202e')
  })

  test('advice about what cannot work is an error unless it is said otherwise', async () => {
    await write('mortise.yaml', integration(object('          delivery: {mode: auto, pageSize: 100}\n')))
    expect(await validate([])).toMatchObject({ code: 3, stderr: '1 error, 0 warnings\n' })
    expect(await validate(['--strict'])).toMatchObject({ code: 3 })
    expect(await validate(['--no-strict'])).toMatchObject({ code: 0, stderr: '0 errors, 1 warning\n' })
  })

  test('the least interval is that of the service', async () => {
    await write('mortise.yaml', fine)
    expect(await validate(['--read-interval-min', '2h'])).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('schedule-minimum-interval'),
    })
    expect(await validate(['--read-interval-min', 'soon'])).toMatchObject({ code: 2 })
  })

  test('a provider of the user’s own files is named', async () => {
    await write('mortise.yaml', integration(object(), 'sampleCrm'))
    const { code, stdout } = await validate([])
    expect([code, stdout]).toEqual([3, expect.stringContaining('provider-not-supported')])
    expect(stdout).toContain('For a provider file of yours, add --own-provider sampleCrm.')
    expect(await validate(['.', '--own-provider', 'sampleCrm'])).toMatchObject({ code: 0 })
  })
})

describe('formats', () => {
  const broken = integration(object('          enabled: never\n          typo: 1\n'))

  test('json is stable', async () => {
    await write('mortise.yaml', broken)
    const { code, stdout, stderr } = await validate(['--format', 'json'])
    expect([code, stderr]).toEqual([3, ''])
    expect(JSON.parse(stdout)).toEqual({
      valid: false,
      errors: 1,
      warnings: 1,
      findings: [
        {
          file: 'mortise.yaml',
          severity: 'error',
          rule: 'read-enabled-value',
          path: '$.integrations[0].read.objects[0].enabled',
          line: 10,
          column: 20,
          message: expect.any(String),
          suggestion: expect.any(String),
          value: 'never',
        },
        {
          file: 'mortise.yaml',
          severity: 'warning',
          rule: 'unknown-key',
          path: '$.integrations[0].read.objects[0].typo',
          line: 11,
          column: 11,
          message: expect.any(String),
          suggestion: expect.any(String),
        },
      ],
    })
  })

  test('github is one annotation a line, whatever the text', async () => {
    await write('mortise.yaml', integration(object('          "a%\\n::error::b": 1\n')))
    const { stdout } = await validate(['--format', 'github'])
    expect(stdout).toMatch(/^::warning file=mortise.yaml,line=10,col=11,title=unknown-key::"a%25[^\n]*\n$/)
  })

  test('colours are for terminals', async () => {
    await write('mortise.yaml', broken)
    expect((await validate([])).stdout).not.toContain('\u001b')
    expect((await validate([], { colors: true })).stdout).toContain('\u001b[31merror')
  })
})
