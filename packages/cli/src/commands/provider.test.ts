import { expect, test } from 'vitest'
import { run } from '../run.ts'
import { testTerminal } from '../testkit/test-terminal.ts'

test('who looks for the catalogue under `provider` is told where it is', async () => {
  const terminal = testTerminal()
  expect(await run(['provider', 'list'], terminal)).toBe(2)
  const { stderr } = terminal.output()
  expect(stderr).toContain('mortise list providers')
  expect(stderr).not.toContain('Did you mean test?')
})
