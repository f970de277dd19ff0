import { describe, expect, test } from 'vitest'
import { run } from './run.ts'
import { testTerminal } from './testkit/test-terminal.ts'

async function mortise(...argv: string[]) {
  const terminal = testTerminal()
  return { code: await run(argv, terminal), ...terminal.output() }
}

describe('a command that does not exist', () => {
  test.each([
    [['foo']],
    [['foo', '--help']],
    [['--help', 'foo']],
    [['help', 'foo']],
    [['provider', 'foo', '--help']],
    [['create', 'foo', '-h']],
  ])('%j is a usage error, not the help of its parent', async (argv) => {
    expect(await mortise(...argv)).toMatchObject({ code: 2, stdout: '' })
  })

  test('is named', async () => {
    expect((await mortise('foo', '--help')).stderr).toContain("Unknown command 'foo'")
  })
})

test.each([[['--help']], [['help']], [['help', 'deploy']], [['deploy', '--help']], [['provider', '--help']]])(
  '%j prints help',
  async (argv) => {
    expect(await mortise(...argv)).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: mortise') })
  },
)
