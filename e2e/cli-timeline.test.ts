import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { type InstallationKit, startInstallationKit } from '../packages/server/src/testkit/installation-kit.ts'
import { temporaryFolder } from './cli.testkit.ts'

let kit: InstallationKit
let installationId = ''
beforeAll(async () => {
  kit = await startInstallationKit()
  const connectionId = await kit.connect('acme')
  const objects = { contacts: { objectName: 'contacts', destination: 'hook' } }
  const { body } = await kit.create('acme', objects, { connectionId }, '?skipSampling=true')
  installationId = body.id
})
afterAll(() => kit?.stop())

const here = async (...argv: string[]) => {
  const env = {
    MORTISE_CONFIG_DIR: await temporaryFolder(),
    MORTISE_URL: kit.app.url,
    MORTISE_API_KEY: kit.app.apiKey,
  }
  const terminal = testTerminal({ env })
  return { code: await run(argv, terminal), ...terminal.output() }
}

test('lists what happened to a group, and filters it', async () => {
  const whole = await here('timeline', '--group', 'acme', '--since', '1h')
  expect([whole.code, whole.stderr]).toEqual([0, ''])
  expect(whole.stdout).toMatch(/installation\.created +The integration was installed\./)
  expect(whole.stdout).toMatch(/connection\.created +The account was connected\./)
  const { stdout } = await here(
    'timeline',
    '--installation',
    installationId,
    '--kind',
    'installation',
    '--format',
    'json',
  )
  expect(JSON.parse(stdout)).toMatchObject([{ kind: 'installation.created', installationId }])
  const limited = await here('timeline', '--group', 'acme', '--limit', '1', '--format', 'json')
  expect(JSON.parse(limited.stdout)).toHaveLength(1)
})

test('needs one group, installation or connection', async () => {
  expect((await here('timeline')).code).toBe(2)
  expect((await here('timeline', '--group', 'acme', '--connection', 'x')).code).toBe(2)
  expect((await here('timeline', '--group', 'acme', '--limit', 'all')).code).toBe(2)
  expect((await here('timeline', '--group', 'acme', '--kind', 'nonsense')).stderr).toMatch(/kind/)
})
