import { request } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { waitForCallback } from './loopback-callback.ts'

const state = 'a-state-that-nobody-can-guess'

async function start() {
  const controller = new AbortController()
  const callback = await waitForCallback(state, controller.signal)
  onTestFinished(() => callback.finish(''))
  const ask = (path: string, options: { method?: string; host?: string } = {}) =>
    new Promise<{ status: number; text: string; headers: Record<string, unknown> }>((resolve, reject) => {
      const { method = 'GET', host = `127.0.0.1:${callback.port}` } = options
      const sent = request({ host: '127.0.0.1', port: callback.port, path, method, headers: { host } }, (answer) => {
        let text = ''
        answer.on('data', (chunk) => (text += chunk))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }))
      })
      sent.on('error', reject).end()
    })
  return { ...callback, ask, controller }
}

test('the code that comes with the state is taken, and the browser is told how it went', async () => {
  const { ask, code, finish } = await start()
  const page = ask(`/callback?code=abc&state=${state}`)
  expect(await code).toBe('abc')
  await finish('You can close this window.')
  const { status, text, headers } = await page
  expect([status, text.includes('<p>You can close this window.</p>')]).toEqual([200, true])
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', connection: 'close' })
  expect(headers['content-security-policy']).toContain("default-src 'none'")
  await expect(ask('/callback')).rejects.toThrow('ECONNREFUSED')
})

test('whatever else is asked for is refused, and the wait goes on', async () => {
  const { ask, code, port } = await start()
  const good = `/callback?code=abc&state=${state}`
  for (const [path, options] of [
    ['/'],
    ['/callback'],
    [`/callback?state=${state}`],
    ['/callback?code=evil&state=another'],
    ['/callback?code=evil&state='],
    [`/other?code=evil&state=${state}`],
    [good, { method: 'POST' }],
    [good, { host: `localhost:${port}` }],
    [good, { host: 'evil.example' }],
  ] as [string, object?][])
    expect([path, (await ask(path, options)).status]).toEqual([path, 404])
  ask(good).catch(() => {})
  expect(await code).toBe('abc')
})

test('a second request gets nothing', async () => {
  const { ask, code, finish } = await start()
  const first = ask(`/callback?code=abc&state=${state}`)
  expect(await code).toBe('abc')
  expect((await ask(`/callback?code=def&state=${state}`)).status).toBe(404)
  await finish('done')
  expect((await first).status).toBe(200)
})

test('it listens on the loopback address alone, and ends with the command', async () => {
  const { code, controller, port } = await start()
  controller.abort(new Error('enough'))
  await expect(code).rejects.toThrow('enough')
  await expect(
    new Promise((resolve, reject) => connect(port, '127.0.0.1').on('connect', resolve).on('error', reject)),
  ).rejects.toThrow('ECONNREFUSED')
})

test('a browser that went away holds nothing up', async () => {
  const { port, code, finish } = await start()
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET /callback?code=abc&state=${state} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`)
  await code
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.destroy()
  await closed
  await finish('done')
})
