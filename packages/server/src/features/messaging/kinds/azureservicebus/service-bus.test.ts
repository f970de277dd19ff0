import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { testCertificate } from '../../../../kernel/net/test-certificate.ts'
import { openForTest, outcomeOf, testMessages } from '../conformance.testkit.ts'
import { listenAsTarget } from '../tcp-target.testkit.ts'
import { hangs } from './bad-answers.testkit.ts'
import { policy, settings } from './conformance.testkit.ts'
import { startFakeServiceBus } from './fake-service-bus.testkit.ts'
import { azureservicebus } from './index.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  vi.unstubAllEnvs()
})

async function start(options?: Parameters<typeof startFakeServiceBus>[1]) {
  const fake = await startFakeServiceBus(policy, options)
  closing.push(fake.stop)
  const scheme = options?.tls ? 'https' : 'http'
  const opened = openForTest(azureservicebus, { ...settings, endpointUrl: `${scheme}://127.0.0.1:${fake.port}/` })
  closing.push(opened.close)
  return { ...fake, ...opened }
}

/** Messages of installations. */
const messagesOf = (...installations: string[]) =>
  testMessages(...installations).map((message, at) => ({
    ...message,
    body: Buffer.from(JSON.stringify({ installationId: installations[at], text: 'x'.repeat(1_000) })),
  }))
const outcomesOf = async (sending: Promise<readonly { outcome: string }[]>) =>
  (await sending).map(({ outcome }) => outcome)
const delivered = (count: number) => Array.from({ length: count }, () => 'delivered')

/** Runs a program in a process, which must end without being told to. */
const run = (program: string, env: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, ['--conditions=mortise-source', '--input-type=module', '--eval', program], {
    ...{ cwd: import.meta.dirname, env: { ...process.env, ...env } },
    // A timer of the client would keep it for two minutes.
    timeout: 60_000,
  })

function temporaryFile(name: string, text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'service-bus-'))
  closing.push(async () => rmSync(folder, { recursive: true }))
  writeFileSync(path.join(folder, name), text)
  return path.join(folder, name)
}

describe('a batch', () => {
  it('has the messages of one session', async () => {
    const { send, arrived, batches } = await start()
    expect(await outcomesOf(send(messagesOf('a', 'b', 'a')))).toEqual(delivered(3))
    expect(batches()).toBe(2)
    expect(arrived().map(({ sessionId }) => sessionId)).toEqual(['a', 'a', 'b'])
  })

  it('is no larger than the link permits, and a message that is too large fails alone', async () => {
    const { send, batches } = await start({ bytesMax: 8_000 })
    expect(await outcomesOf(send(messagesOf(...Array.from({ length: 9 }, () => 'a'))))).toEqual(delivered(9))
    expect(batches()).toBe(3)
    const [small, large] = testMessages('small', 'x'.repeat(9_000))
    const results = await send([large!, small!])
    expect(results).toMatchObject([
      { outcome: 'refused', error: expect.stringContaining('(MessageSizeExceeded)') },
      { outcome: 'delivered' },
    ])
    expect(results[0]?.response?.toString()).toBe('The maximum is 8000 bytes.')
  })

  it('is halved although the service closes the link for a message', async () => {
    const { send, behave, connections } = await start()
    behave('closes the link of a bad message')
    const messages = testMessages('one', 'two', 'bad', 'four')
    expect(await outcomesOf(send(messages))).toEqual(['delivered', 'delivered', 'refused', 'delivered'])
    expect(connections().total).toBe(4)
  })

  it('is not tried again and again where no link is opened', async () => {
    const { send, behave, connections } = await start()
    behave('allows nothing')
    expect(await outcomesOf(send(messagesOf('a', 'b', 'c')))).toEqual(['retry', 'retry', 'retry'])
    expect(connections().total).toBe(1)
  })

  it('is not followed by others when the service is busy', async () => {
    const { send, behave, batches } = await start()
    behave('is busy')
    const results = await send(messagesOf('a', 'b', 'c'))
    expect(results.map(({ outcome, retryAfterMs }) => [outcome, retryAfterMs])).toEqual(
      results.map(() => ['retry', 2_000]),
    )
    expect(batches()).toBe(1)
  })
})

describe('a connection', () => {
  it('is used by one send at a time, and kept', async () => {
    const { send, connections, received } = await start()
    for (let round = 0; round < 2; round++) {
      const both = [send(testMessages('one')), send(testMessages('two'))]
      expect((await Promise.all(both)).map(([result]) => result?.outcome)).toEqual(delivered(2))
    }
    expect([received().length, connections().total]).toEqual([4, 2])
  })

  it('that ends does not end the send on another one', async () => {
    const { send, behave, connections } = await start()
    behave('hang')
    const cancel = new AbortController()
    const canceled = outcomeOf(send(testMessages('one'), { signal: cancel.signal }))
    await vi.waitFor(() => expect(connections().total).toBe(1))
    behave('accept')
    const other = send(testMessages('two'))
    cancel.abort()
    expect([await canceled, await outcomesOf(other)]).toEqual(['cancelled', ['delivered']])
  })

  it('that broke is opened again by the next send, and not before', async () => {
    const { send, hangUp, connections } = await start()
    expect(await outcomesOf(send(testMessages('one')))).toEqual(['delivered'])
    hangUp()
    await vi.waitFor(() => expect(connections().open).toBe(0))
    for (let turn = 0; turn < 100; turn++) await setImmediate()
    expect(connections().total).toBe(1)
    expect(await outcomesOf(send(testMessages('two')))).toEqual(['delivered'])
    expect(connections().total).toBe(2)
  })

  it('writes nothing to the console, and leaves nothing that keeps the process after it was closed', async () => {
    const odd = 'answers the token with a message without sections'
    const program = `
      const { openForTest, testMessages } = await import('../conformance.testkit.ts')
      const { harness } = await import('./conformance.testkit.ts')
      const { azureservicebus } = await import('./index.ts')
      for (const behavior of ['accept', 'closes the WebSocket at once', 'closes the link', ${JSON.stringify(odd)}]) {
        const target = await harness.start()
        const { send, close } = openForTest(azureservicebus, target.settings)
        target.behave(behavior)
        const outcome = await send(testMessages('x')).then(([result]) => result.outcome, (error) => error.kind)
        console.log(outcome)
        await close()
        await target.stop()
      }`
    const { stdout, stderr } = await run(program)
    expect([stdout, stderr]).toEqual(['delivered\nconnect\nretry\nprotocol\n', ''])
  }, 90_000)

  it.each(hangs)('ends at the deadline when the service %s', async (behavior) => {
    const { send, behave, connections } = await start()
    behave(behavior)
    const sending = send(testMessages('x'), { timeoutMs: 500 })
    await expect(sending).rejects.toMatchObject({ kind: 'timeout' })
    await vi.waitFor(() => expect(connections().open).toBe(0))
    behave('accept')
    expect(await outcomesOf(send(testMessages('y')))).toEqual(['delivered'])
  })
})

describe('the client', () => {
  it('is not waited for when the server hangs up as soon as it can', async () => {
    const server = createServer((socket) => socket.destroy())
    const target = await listenAsTarget(server)
    closing.push(target.stop)
    const { send, close } = openForTest(azureservicebus, {
      ...settings,
      endpointUrl: `http://127.0.0.1:${target.port}/`,
    })
    closing.push(close)
    await expect(send(testMessages('x'))).rejects.toMatchObject({ kind: 'connect' })
  })

  it('follows no redirect', async () => {
    const { send, behave, connections } = await start()
    behave('redirects')
    expect(await send(testMessages('x'))).toMatchObject([{ outcome: 'retry', status: 302 }])
    expect(connections().total).toBe(1)
  })

  it('needs a valid certificate', async () => {
    const { send, received } = await start({ tls: testCertificate })
    await expect(send(testMessages('x'))).rejects.toMatchObject({ kind: 'tls' })
    expect(received()).toEqual([])
  })

  it('speaks over TLS with a server whose certificate is valid, and logs nothing', async () => {
    const { port, received } = await start({ tls: testCertificate })
    const program = `
      const { openForTest, testMessages } = await import('../conformance.testkit.ts')
      const { settings } = await import('./conformance.testkit.ts')
      const { azureservicebus } = await import('./index.ts')
      const target = { ...settings, endpointUrl: 'https://127.0.0.1:${port}/' }
      const { send, close } = openForTest(azureservicebus, target)
      console.log(JSON.stringify(await send(testMessages('x'.repeat(100_000)))))
      await close()`
    const file = temporaryFile('authority.pem', testCertificate.cert)
    const { stdout, stderr } = await run(program, { NODE_EXTRA_CA_CERTS: file, AZURE_LOG_LEVEL: 'verbose' })
    expect([JSON.parse(stdout), stderr]).toEqual([[{ outcome: 'delivered' }], ''])
    expect(received()).toHaveLength(1)
  }, 90_000)

  it('connects where the settings say, whatever the environment says', async () => {
    let connected = 0
    const canary = createServer((socket) => {
      connected++
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(canary, 'listening')
    closing.push(async () => canary.close())
    const { port } = canary.address() as AddressInfo
    const file = temporaryFile('connect.json', JSON.stringify({ host: '127.0.0.1', port }))
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
    for (const name of names) vi.stubEnv(name, `http://127.0.0.1:${port}`)
    for (const name of ['AZURE_SERVICEBUS_HOSTNAME', 'AZURE_SERVICEBUS_CONNECTION_STRING'])
      vi.stubEnv(name, `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=a;SharedAccessKey=b`)
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')
    vi.stubEnv('MESSAGING_CONNECT_FILE', file)
    const { send, received } = await start()
    expect(await outcomesOf(send(testMessages('x')))).toEqual(['delivered'])
    expect([received().length, connected]).toEqual([1, 0])
  })
})

describe('an error', () => {
  it('shows no token that the service sends back', async () => {
    const { send, behave } = await start()
    behave('echoes the token')
    const [result] = await send(testMessages('x'))
    expect(result?.response?.toString()).toMatch(/^You sent SharedAccessSignature \[secret\]\.$/)
  })

  it.each([
    ['refuses the key', 'refused the key of the connection string', 'UnauthorizedAccess'],
    ['permits no message', 'lacks the claim Send', 'UnauthorizedAccess'],
    ['has no such queue', 'has no such queue or topic', 'MessagingEntityNotFound'],
    ['is disabled', 'is disabled', 'MessagingEntityDisabled'],
    ['is full', 'has reached a quota', 'QuotaExceeded'],
    ['is busy', 'is busy', 'ServiceBusy'],
    ['closes the link', 'gave the link to another client', 'amqp:link:stolen'],
    ['closes the connection', 'did not accept the message', 'amqp:connection:forced'],
    ['needs a session', 'did not accept the message', 'InvalidOperationError'],
    ['releases the message', 'did not accept the message', 'released'],
  ])('of a service that %s has a reason and a code', async (behavior, reason, code) => {
    const { send, behave } = await start()
    behave(behavior)
    const error = expect.stringMatching(new RegExp(`${reason}.* \\(${code}\\)\\.$`))
    expect(await send(testMessages('x'))).toMatchObject([{ outcome: 'retry', error }])
  })
})
