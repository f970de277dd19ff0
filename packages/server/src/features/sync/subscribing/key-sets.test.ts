import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAddressGuard, createOutbound, type Outbound, parseAllowedNetworks } from '../../../kernel/net/index.ts'
import { createLogger } from '../../../kernel/telemetry/index.ts'
import { createKeySets } from './key-sets.ts'

let url = ''
let requests = 0
let answer: (response: ServerResponse) => void
const server = createServer((_, response) => {
  requests++
  answer(response)
})
let outbound: Outbound
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
  outbound = createOutbound({
    guard: createAddressGuard({ allow: parseAllowedNetworks('loopback') }),
    userAgent: 'test',
  })
})
afterAll(async () => {
  await outbound?.close()
  server.close()
})

const set = (name: string) => JSON.stringify({ keys: [{ kid: name }] })
const says = (text: string, status = 200) => {
  answer = (response) => response.writeHead(status).end(text)
}

function open() {
  let time = Date.parse('2026-01-01T00:00:00Z')
  const keySets = createKeySets({ outbound, now: () => new Date(time), log: createLogger({ level: 'silent' }) })
  return { get: () => keySets.get(url), pass: (ms: number) => (time += ms) }
}

it('a key set is requested once an hour, however many events there are', async () => {
  const { get, pass } = open()
  says(set('a'))
  const before = requests
  expect(await Promise.all(Array.from({ length: 10 }, get))).toEqual(Array.from({ length: 10 }, () => set('a')))
  says(set('b'))
  expect(await get()).toBe(set('a'))
  expect(requests - before).toBe(1)
  pass(3_600_000)
  expect(await get()).toBe(set('b'))
})

it.each([
  ['a page of HTML', () => says('<html>')],
  ['an empty text', () => says('')],
  ['JSON that is no key set', () => says('{"keys":"none"}')],
  ['a redirect', () => says('', 302)],
  ['an error', () => says(set('c'), 500)],
  ['a huge answer', () => says(JSON.stringify({ keys: ['x'.repeat(70_000)] }))],
  [
    'a broken connection',
    () => {
      answer = (response) => response.destroy()
    },
  ],
])('%s does not take the place of the keys, and is requested again soon', async (_, fail) => {
  const { get, pass } = open()
  says(set('a'))
  await get()
  pass(3_600_000)
  fail()
  expect(await get()).toBe(set('a'))
  const before = requests
  expect(await get()).toBe(set('a'))
  expect(requests).toBe(before)
  pass(5_000)
  says(set('b'))
  expect(await get()).toBe(set('b'))
  // After a day without an answer, nothing is verified with old keys.
  fail()
  pass(24 * 3_600_000)
  expect(await get()).toBe('')
})
