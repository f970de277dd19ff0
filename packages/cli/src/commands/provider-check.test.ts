import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../run.ts'
import { testTerminal } from '../testkit/test-terminal.ts'

const good = 'name: acme\nbaseUrl: https://api.acme.example\nauthentication: [{ scheme: none }]\n'
const bad = `${good.replace('acme\n', 'wrong\n')}colour: red
objects:
  things: { read: { path: /things, records: '$.data[*]', pagesize: 3 } }
`

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'mortise-check-'))
  await writeFile(join(cwd, 'acme.yaml'), good)
  await writeFile(join(cwd, 'wrong.yaml'), bad)
  // Declares nothing: the built-in file of its name completes it.
  await writeFile(join(cwd, 'hubspot.yaml'), 'name: hubspot\ndisplayName: Ours\n')
  await writeFile(join(cwd, 'other.yaml'), good.replace('acme\n', 'other\nobjectsOf: notion\n'))
})
afterAll(() => rm(cwd, { recursive: true }))

async function check(...args: string[]) {
  const terminal = testTerminal({ cwd })
  const code = await run(['provider', 'check', ...args], terminal)
  return { code, ...terminal.output() }
}

describe('provider files are checked without a service', () => {
  test('good files are valid, those that the release completes too', async () => {
    expect(await check('acme.yaml', 'hubspot.yaml', 'other.yaml')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'valid: acme.yaml\nvalid: hubspot.yaml\nvalid: other.yaml\n',
    })
  })

  test('every fault is told at once, with its line, column and what to write instead', async () => {
    const { code, stdout, stderr } = await check('acme.yaml', 'wrong.yaml')
    expect(code).toBe(3)
    expect(stdout).toContain('wrong.yaml:4:1 error provider-file colour is an unknown key')
    expect(stdout).toContain("join names with dots, or $['a']['b']: data.\n")
    expect(stdout).toContain('wrong.yaml:6:58 error provider-file objects.things.read.pagesize is an unknown key')
    expect(stdout).toContain('did you mean "pageSizeMax"?')
    expect(stderr).toBe('valid: acme.yaml\n3 errors, 0 warnings\n')
  })

  test('a folder means all its files, and JSON tells the same', async () => {
    const { code, stdout } = await check('.', '--format', 'json')
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      errors: 3,
      files: ['acme.yaml', 'hubspot.yaml', 'other.yaml', 'wrong.yaml'],
      faults: [
        { file: 'wrong.yaml', line: 4, column: 1, path: 'colour' },
        { file: 'wrong.yaml', line: 6, column: 36, path: 'objects.things.read.records' },
        { file: 'wrong.yaml', line: 6, column: 58, path: 'objects.things.read.pagesize' },
      ],
    })
  })

  test.each([
    ['gone.yaml', 'There is no file gone.yaml.'],
    ['/dev/null', '/dev/null is not a file.'],
  ])('%s is a wrong command line', async (path, message) => {
    expect(await check(path)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  })
})
