import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import {
  type ConnectingKit,
  startConnectingKit,
} from '../packages/server/src/features/accounts/authorization-flows/connecting.testkit.ts'
import { freePort } from './mortise-process.testkit.ts'

/** `mortise connect` for accounts that are authorised on the provider's own page. */

let kit: ConnectingKit
beforeAll(async () => {
  const closed = await freePort()
  const key = { scheme: 'apiKey', attach: 'header', name: 'X-Key' }
  kit = await startConnectingKit({
    providers: (server) => ({
      // Its authorization server knows no such key.
      refusing: {
        displayName: 'Refusing',
        baseUrl: server.origin,
        authentication: [key],
        healthCheck: { path: '/me' },
      },
      away: {
        displayName: 'Away',
        baseUrl: `http://127.0.0.1:${closed}`,
        authentication: [key],
        healthCheck: { path: '/me' },
      },
      keys: {
        displayName: 'Keys',
        baseUrl: server.origin,
        authentication: [key, { ...key, schemeName: 'second' }, { scheme: 'none' }],
      },
      silent: { displayName: 'Silent', baseUrl: `http://127.0.0.1:${closed}`, authentication: [key] },
    }),
  })
  await kit.makeApp('plain')
})
afterAll(() => kit?.stop())

const argv = ['connect', 'by-page', '--provider', 'plain']
const atOnce = ['connect', 'by-browser', '--provider', 'plain', '--consumer', 'ada', '--terminal']
const env = () => ({ MORTISE_URL: kit.app.url, MORTISE_API_KEY: kit.app.apiKey })
/** What a person does with the address: it leads to the provider, and the provider back. */
const granting = async (url: string) => {
  const browser = kit.browser()
  const { pathname, search } = new URL(url)
  const { location } = await browser.get(`${pathname}${search}`)
  expect((await browser.get(await kit.grant(location!))).status).toBe(200)
}

/** What a person does with the address of our page, without scripts. */
const connecting = async (url: string) => {
  const browser = kit.browser()
  const { pathname } = new URL(url)
  const sent = await browser.submit(await browser.get(`${pathname}/form`))
  const onwards = new URL(sent.headers.get('refresh')!.replace('0;url=', ''))
  const { location } = await browser.get(`${onwards.pathname}${onwards.search}`)
  expect((await browser.get(await kit.grant(location!))).status).toBe(303)
}

test('opens a page of the service, and prints the connection that comes of it', async () => {
  const terminal = testTerminal({ env: env(), answers: [], browse: connecting })
  const code = await run([...argv, '--group-name', 'Acme', '--format', 'json'], terminal)
  const { stdout, stderr } = terminal.output()
  expect([code, stderr]).toEqual([0, expect.stringContaining('Connect the account in your browser')])
  expect(JSON.parse(stdout)).toMatchObject({
    provider: 'plain',
    status: 'working',
    group: { groupRef: 'by-page', groupName: 'Acme' },
    consumer: { consumerRef: 'by-page' },
  })
}, 60_000)

test.each([
  ['without a browser', []],
  ['with --no-browser', ['--no-browser']],
])(
  '%s the address is printed, and waited for all the same',
  async (_, more) => {
    const terminal = testTerminal({ env: env(), ...(more.length > 0 && { answers: [] }) })
    const running = run([...argv, ...more], terminal)
    const address = () => /^http\S+$/m.exec(terminal.output().stderr)?.[0]
    await expect.poll(address, { timeout: 30_000 }).toBeDefined()
    await connecting(address()!)
    expect(await running).toBe(0)
    expect(terminal.output().stdout).toMatch(/^\S{36} plain for by-page: working\n$/)
  },
  60_000,
)

test('a page whose time is over ends the command', async () => {
  const terminal = testTerminal({ env: env(), answers: [], browse: async () => kit.app.clock.advance(31 * 60_000) })
  const code = await run(argv, terminal)
  kit.app.clock.advance(-31 * 60_000)
  expect([code, terminal.output().stderr]).toEqual([1, expect.stringContaining('within half an hour')])
}, 60_000)

test('with --terminal the provider’s page opens at once; it prints the connection that comes of it; once more, the same one', async () => {
  const ids: string[] = []
  for (let time = 0; time < 2; time++) {
    const terminal = Object.assign(testTerminal({ env: env(), answers: [] }), { browse: granting })
    const code = await run([...atOnce, '--format', 'json'], terminal)
    const { stdout, stderr } = terminal.output()
    expect([code, stderr]).toEqual([0, expect.stringContaining('Grant access in your browser')])
    const connection = JSON.parse(stdout)
    expect(connection).toMatchObject({ provider: 'plain', status: 'working', group: { groupRef: 'by-browser' } })
    ids.push(connection.id)
  }
  expect(ids[1]).toBe(ids[0])
}, 60_000)

test.each([
  ['refusing', 1, /refused the credential\./, 'refused'],
  ['away', 7, /could not be reached\. .*127\.0\.0\.1:\d+/, 'unreachable'],
  ['silent', 0, /was not checked\. Silent has no health check/, 'notChecked'],
])(
  '%s: the exit code is %i, and the reason is printed',
  async (provider, code, said, outcome) => {
    const ask = async (more: string[]) => {
      const terminal = testTerminal({ env: env(), stdin: 'a-hidden-key' })
      const ended = await run(['connect', 'honest', '--provider', provider, '--secrets-stdin', ...more], terminal)
      expect(ended).toBe(code)
      expect(JSON.stringify(terminal.output())).not.toContain('a-hidden-key')
      return terminal.output().stdout
    }
    expect(await ask([])).toMatch(said)
    expect(JSON.parse(await ask(['--format', 'json'])).lastCheck).toMatchObject({ outcome })
  },
  60_000,
)

test.each([
  ['second', 'second', 'a-key'],
  ['apiKey', 'apiKey', 'a-key'],
  ['none', 'none', ''],
])('authenticates by the scheme of the name %s', async (name, schemeName, stdin) => {
  const terminal = testTerminal({ env: env(), stdin })
  const secret = stdin === '' ? ['--terminal'] : ['--secrets-stdin']
  const code = await run(
    ['connect', `by-${name}`, '--provider', 'keys', '--scheme', name, ...secret, '--format', 'json'],
    terminal,
  )
  const { stdout, stderr } = terminal.output()
  expect(code, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ schemeName })
})

test('answers an unknown scheme with those that there are', async () => {
  const terminal = testTerminal({ env: env(), answers: [] })
  const code = await run(['connect', 'acme', '--provider', 'keys', '--scheme', 'basic'], terminal)
  expect([code, terminal.output().stderr]).toEqual([
    2,
    expect.stringContaining('keys has no scheme basic; it has apiKey, second, none.'),
  ])
})
