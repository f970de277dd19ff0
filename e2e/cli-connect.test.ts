import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import {
  type ConnectingKit,
  startConnectingKit,
} from '../packages/server/src/features/connecting/connecting.testkit.ts'

/** `mortise connect` for accounts that are authorised on the provider's own page. */

let kit: ConnectingKit
beforeAll(async () => {
  kit = await startConnectingKit()
  await kit.makeApp('plain')
})
afterAll(() => kit?.stop())

const argv = ['connect', '--provider', 'plain', '--group', 'by-browser', '--consumer', 'ada']
const env = () => ({ MORTISE_URL: kit.app.url, MORTISE_API_KEY: kit.app.apiKey })
/** What a person does with the address: it leads to the provider, and the provider back. */
const granting = async (url: string) => {
  const browser = kit.browser()
  const { pathname, search } = new URL(url)
  const { location } = await browser.get(`${pathname}${search}`)
  expect((await browser.get(await kit.grant(location!))).status).toBe(200)
}

test('opens the provider’s page, and prints the connection that comes of it; once more, the same one', async () => {
  const ids: string[] = []
  for (let time = 0; time < 2; time++) {
    const terminal = Object.assign(testTerminal({ env: env(), answers: [] }), { browse: granting })
    const code = await run([...argv, '--format', 'json'], terminal)
    const { stdout, stderr } = terminal.output()
    expect([code, stderr]).toEqual([0, expect.stringContaining('Grant access in your browser')])
    const connection = JSON.parse(stdout)
    expect(connection).toMatchObject({ provider: 'plain', status: 'working', group: { groupRef: 'by-browser' } })
    ids.push(connection.id)
  }
  expect(ids[1]).toBe(ids[0])
}, 60_000)

test('without a browser the address is printed, and waited for all the same', async () => {
  const terminal = testTerminal({ env: env() })
  const running = run(argv.with(4, 'by-hand'), terminal)
  const address = () => /^http\S+$/m.exec(terminal.output().stderr)?.[0]
  await expect.poll(address, { timeout: 30_000 }).toBeDefined()
  await granting(address()!)
  expect(await running).toBe(0)
  expect(terminal.output().stdout).toMatch(/^\S{36} plain for by-hand: working\n$/)
}, 60_000)
