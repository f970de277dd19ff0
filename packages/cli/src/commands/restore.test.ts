import { expect, test } from 'vitest'
import { run } from '../run.ts'
import { testTerminal } from '../testkit/test-terminal.ts'

test('a backup that does not exist is a wrong command line', async () => {
  const terminal = testTerminal({ cwd: import.meta.dirname })
  expect(await run(['restore', 'none.zip', '--data-dir', 'none'], terminal)).toBe(2)
  expect(terminal.output()).toEqual({ stdout: '', stderr: 'error There is no file none.zip. Check the path.\n' })
})
