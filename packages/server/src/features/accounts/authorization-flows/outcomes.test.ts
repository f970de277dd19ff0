import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorizationProvider } from '../../../testkit/authorization-server.ts'
import { type ConnectingKit, postedBy, startConnectingKit } from './connecting.testkit.ts'

/** What a person sees at the end of an OAuth flow whose tokens are good, by what the provider then answers to them. */

let kit: ConnectingKit
let provider: Server

beforeAll(async () => {
  provider = createServer((request, response) => {
    request.url === '/refusing/me'
      ? response.writeHead(401, { 'content-type': 'application/json' }).end('{"message": "This account is locked"}')
      : response.writeHead(302, { location: '/sign-in' }).end()
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(provider.address() as AddressInfo).port}`
  const closed = await closedPort()
  const baseUrls = {
    refusing: `http://${host}/refusing`,
    redirecting: `http://${host}`,
    closed: `http://127.0.0.1:${closed}`,
    nameless: 'https://nowhere.invalid',
    insecure: `https://${host}`,
  }
  kit = await startConnectingKit({
    providers: (server) =>
      Object.fromEntries(
        Object.entries(baseUrls).map(([name, baseUrl]) => [
          name,
          JSON.parse(authorizationProvider(server, name, 'authorizationCode', {}, { baseUrl })),
        ]),
      ),
  })
})
afterAll(async () => {
  await kit?.stop()
  provider?.close()
})

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test.each([
  ['refusing', 'refused', /refusing refused this credential\..*locked/],
  ['redirecting', 'unreachable', /redirecting could not be reached\./],
  ['closed', 'unreachable', /closed could not be reached\..*nothing listens there/],
  ['nameless', 'unreachable', /nameless could not be reached\..*nowhere\.invalid could not be found/],
  ['insecure', 'unreachable', /insecure could not be reached\..*No secure connection/],
])('%s: the window stays open and says why, and the application is told that it is %s', async (name, outcome, said) => {
  await kit.makeApp(name)
  const url = await kit.begin({ provider: name, groupRef: `group-${name}` })
  const shown = await kit.connect(url)
  expect(shown.text).toContain(`${name} does not work`)
  expect(shown.text.replaceAll('\n', ' ')).toMatch(said)
  const { message, closes } = postedBy(shown)
  expect([closes, message.eventType]).toEqual([false, 'AUTHORIZATION_SUCCEEDED'])
  const { body } = await kit.app.call<{ lastCheck: { outcome: string } }[]>(
    'GET',
    `/projects/default/connections?groupRef=group-${name}`,
  )
  expect(body[0]?.lastCheck.outcome).toBe(outcome)
})
