import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import {
  type Installed,
  type ReadingKit,
  startReadingKit,
} from '../packages/server/src/features/sync/reading/reading.testkit.ts'

/** `mortise resend`, against the real service. */

let kit: ReadingKit
let installed: Installed
let env: Record<string, string>
beforeAll(async () => {
  kit = await startReadingKit()
  installed = await kit.install()
  env = { MORTISE_URL: kit.app.url, MORTISE_API_KEY: kit.app.apiKey }
})
afterAll(() => kit?.stop())

async function here(...argv: string[]) {
  const terminal = testTerminal({ env })
  return { code: await run(['resend', ...argv], terminal), ...terminal.output() }
}

test('follows a resend to its end, as text and as JSON', async () => {
  expect(await here('hook', '--follow')).toEqual({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^\S{36} success: 1 of 1 installation, 250 records\n$/),
  })
  const filters = ['--integration', installed.name, '--group', installed.groupRef, '--object', 'contacts']
  const { code, stdout } = await here('hook', '--follow', '--json', ...filters)
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({ status: 'success', records: 250, groupRef: installed.groupRef }),
  ])
  const nothing = await here('hook', '--follow', '--object', 'deals')
  expect(nothing.stdout).toMatch(/ success: no installation sends records here, 0 records\n$/)
})

test('starts without waiting, cancels, and says what failed', async () => {
  kit.crm.setRateLimit(1, 1)
  expect(await here('hook')).toMatchObject({ code: 0, stdout: expect.stringContaining(' in_progress: ') })
  expect(await here('hook', '--cancel')).toMatchObject({ code: 0, stdout: expect.stringContaining(' canceled: ') })
  kit.crm.setRateLimit(0)
  kit.crm.failNext(1, 400)
  expect(await here('hook', '--follow')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/1 failed, 0 records\nFailed: contacts of group1 \(crm1\): \w/),
  })
})

test('refuses what cannot be', async () => {
  expect(await here('unknown')).toMatchObject({ code: 5 })
  expect(await here('hook', '--group', 'nobody')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no group'),
  })
  expect(await here('hook', '--cancel', '--follow')).toMatchObject({ code: 2 })
  await kit.app.call('POST', '/projects/default/destinations/hook:disable')
  expect(await here('hook')).toMatchObject({ code: 1, stderr: expect.stringContaining('Enable the destination first') })
})
