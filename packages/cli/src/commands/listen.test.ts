import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { run } from '../run.ts'
import { testTerminal } from '../testkit/test-terminal.ts'

/** What a service could send that is not as it should be; the real one is tried in e2e. */

const secret = `whsec_${randomBytes(24).toString('base64')}`

async function start(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const idOf = (n: number) => `0198c0de-0000-7000-8000-00000000000${n}`

function message(n: number, key = secret, body = `{"action":"read","objectName":"contacts ${n}"}`) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', Buffer.from(key.slice(6), 'base64'))
    .update(`${idOf(n)}.${timestamp}.${body}`)
    .digest('base64')
  const headers = { 'webhook-id': idOf(n), 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
  const createTime = new Date().toISOString()
  return { id: idOf(n), kind: 'read', state: 'pending', attempts: 0, bytes: body.length, createTime, body, headers }
}

/** A service whose stream brings these messages, and an endpoint that counts. */
async function listenTo(messages: object[], listed: object[] = []) {
  const url = await start(
    createServer((request, answer) => {
      const path = request.url ?? ''
      answer.setHeader('content-type', path.includes(':stream') ? 'text/event-stream' : 'application/json')
      if (path.includes(':stream'))
        for (const { event = 'message', ...data } of messages as { event?: string }[])
          answer.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      else if (path.includes('/messages?')) answer.end(JSON.stringify(listed))
      else answer.end(JSON.stringify({ id: 'd', name: 'hook', secrets: { webhookSigningKey: secret } }))
    }),
  )
  const forwarded: unknown[] = []
  const endpoint = await start(
    createServer((request, answer) => {
      forwarded.push(request.headers['webhook-id'])
      answer.writeHead(302, { location: '/elsewhere' }).end()
    }),
  )
  const terminal = testTerminal({ env: { MORTISE_URL: url, MORTISE_API_KEY: 'mortise_test' } })
  const running = run(['listen', 'hook', '--print', '--forward', `${endpoint}/hooks`], terminal)
  await expect.poll(() => terminal.output().stdout).toContain('contacts 9')
  await expect.poll(() => forwarded.at(-1)).toBe(idOf(9))
  terminal.interrupt()
  return { code: await running, forwarded, ...terminal.output() }
}

test('what is signed with another secret, or altered, is told and not passed on', async () => {
  const other = `whsec_${randomBytes(24).toString('base64')}`
  const altered = { ...message(2), body: '{"action":"read","objectName":"altered"}' }
  const unsigned = { ...message(3), headers: {} }
  const { code, stderr, forwarded } = await listenTo([message(1, other), altered, unsigned, message(9)])
  expect([code, forwarded]).toEqual([130, [idOf(9)]])
  for (const n of [1, 2, 3]) expect(stderr).toContain(`${idOf(n)}: its signature is not valid`)
})

test('a message that comes twice is passed on once; redirects are not followed', async () => {
  const { forwarded, stdout } = await listenTo([message(1), message(1), message(9)])
  expect(forwarded).toEqual([idOf(1), idOf(9)])
  expect(stdout).toContain('→ 302 in')
})

test('a message that was delivered already shows that, too', async () => {
  const { stdout } = await listenTo([{ ...message(1), state: 'delivered', attempts: 1 }, message(9)])
  expect(stdout.match(/delivered, attempt 1/g)).toHaveLength(1)
})

test('a state that a repeated message brings is shown once, as is one that comes twice', async () => {
  const delivered = { ...message(1), state: 'delivered', attempts: 1 }
  const { stdout, forwarded } = await listenTo([
    message(1),
    delivered,
    { ...delivered, event: 'state' },
    { ...message(2), event: 'state', attempts: 1 },
    message(2),
    message(3),
    { ...message(3), state: 'failed', attempts: 2 },
    message(9),
  ])
  expect(stdout.match(/delivered, attempt 1/g)).toHaveLength(1)
  expect(stdout.match(/pending, attempt 1/g)).toHaveLength(1)
  expect(stdout.match(/failed, attempt 2/g)).toHaveLength(1)
  expect(forwarded).toEqual([idOf(1), idOf(2), idOf(3), idOf(9)])
})

test('a message that commits while listening is shown, also if its id is lower than the latest; those before are not', async () => {
  const { forwarded } = await listenTo([message(2), message(3), message(5), message(9)], [message(5), message(2)])
  expect(forwarded).toEqual([idOf(3), idOf(9)])
})

test('nothing in a message steers the terminal', async () => {
  const body = '{"action":"read","objectName":"\\u001b[31mred","text":"\u009b31m\u202E"}'
  const { stdout } = await listenTo([{ ...message(1, secret, body), eventType: 'a\u001b[2J' }, message(9)])
  expect(stdout).not.toMatch(/[^\P{Cc}\n\t]|\p{Bidi_Control}/u)
})
