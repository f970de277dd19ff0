import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { kindsToTest } from '../packages/server/src/features/messaging/kinds/conformance.testkit.ts'
import { destinationKinds } from '../packages/server/src/features/messaging/kinds/index.ts'
import { secretNames, withoutSecrets } from '../packages/server/src/features/messaging/kinds/secret-settings.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'

/** Each type of destination is created and tested by the command line, against a server of its kind. */

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.stop())

async function mortise(argv: string[], stdin?: string) {
  const env = { MORTISE_URL: app.url, MORTISE_API_KEY: app.apiKey }
  const terminal = testTerminal({ env, ...(stdin !== undefined && { stdin }) })
  return { code: await run(argv, terminal), ...terminal.output() }
}

const external = (await kindsToTest(destinationKinds)).filter(({ harness }) => !harness.isInternal)

/** Whether a type keeps tables of records: a test of it sends nothing. */
const hasTables = (label: string) => /^(?:postgres|mysql|.+-tables)$/.test(label)

describe.each(external)('$label', ({ label, kind, harness }) => {
  test('is created with its settings, and its test says that a message arrived', async () => {
    const target = await harness.start()
    try {
      const secrets = Object.fromEntries(secretNames(kind).map((name) => [name, Reflect.get(target.settings, name)]))
      const { headers = {}, ...settings } = withoutSecrets(kind, target.settings) as Record<string, unknown>
      const argv = ['create', 'destination', `cli-${label}`, '--type', kind.name, '--secrets-stdin']
      for (const [name, value] of Object.entries(settings)) argv.push('--setting', `${name}=${value}`)
      for (const [name, value] of Object.entries(headers as object)) argv.push('--header', `${name}: ${value}`)
      expect(await mortise(argv, JSON.stringify(secrets))).toMatchObject({ code: 0, stderr: '' })

      const tested = await mortise(['destination', 'test', `cli-${label}`])
      const said = hasTables(label) ? /^Checked cli-.* Nothing was sent\.\n$/s : /^Delivered to cli-/
      expect(tested).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(said) })
      target.behave('echo')
      const failed = await mortise(['destination', 'test', `cli-${label}`])
      expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Not (?:ready:|delivered to) cli-/) })
      for (const { stdout, stderr } of [tested, failed]) expect(stdout + stderr).not.toContain(target.secret)
    } finally {
      await target.stop()
    }
  })
})
