import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from './address-guard.ts'
import { createNameResolver, type Names } from './names/name-resolver.ts'
import { type GuardedHost, guardDial, openGuardedSocket, startTls } from './open-guarded-socket.ts'
import { loopbackSpellings, privateAddresses } from './ssrf-vectors.ts'
import { testCertificate } from './test-certificate.ts'

let canary: Server
let silent: Server
let secure: Server
let connections = 0
const portOf = (server: Server) => (server.address() as AddressInfo).port
beforeAll(async () => {
  canary = createServer((socket) => {
    connections++
    socket.destroy()
  })
  silent = createServer((socket) => socket.on('error', () => undefined))
  secure = createTlsServer(testCertificate, (socket) => socket.end('hello'))
  for (const server of [canary, silent, secure]) {
    server.listen(0, '0.0.0.0')
    await once(server, 'listening')
  }
})
afterAll(() => {
  for (const server of [canary, silent, secure]) server.close()
})

const resolver = createNameResolver()
const open = (target: Partial<GuardedHost>, allow = '') =>
  openGuardedSocket({
    host: '127.0.0.1',
    port: portOf(canary),
    tls: true,
    guard: createAddressGuard({ allow: parseAllowedNetworks(allow) }),
    names: resolver,
    project: 'project-1',
    timeoutMs: 2_000,
    signal: new AbortController().signal,
    ...target,
  })

/** A name that was public when it was looked up, and is at another address when the socket asks. */
const rebinding = (address: string): Names => ({
  known: () => undefined,
  resolve: async () => [{ address: '203.0.114.5', family: 4 }],
  lookup: (_hostname, _options, callback) => callback(null, [{ address, family: 4 }]),
})

test.each([...privateAddresses, ...loopbackSpellings.filter((host) => !host.includes('@'))])(
  '%s is not dialled, with TLS or without',
  async (host) => {
    const bare = host.replace(/^\[|\]$/g, '')
    for (const tls of [true, false])
      await expect(open({ host: bare, tls })).rejects.toMatchObject({ name: 'OutboundError' })
    expect(connections).toBe(0)
  },
)

test('a name that turns to a private address is not dialled', async () => {
  const attempt = open({ host: 'rebound.example.com', names: rebinding('127.0.0.1') })
  await expect(attempt).rejects.toMatchObject({ kind: 'refused_address', message: expect.stringContaining('rebound') })
  expect(connections).toBe(0)
})

test('without TLS, only networks that the operator opened are dialled', async () => {
  const attempt = open({ host: '203.0.114.5', tls: false })
  await expect(attempt).rejects.toMatchObject({
    kind: 'refused_address',
    message: expect.stringContaining('Without TLS'),
  })
  const socket = await open({ tls: false, port: portOf(silent) }, 'loopback')
  socket.destroy()
})

test('a client that connects with the options of the guard reaches no private address either', async () => {
  const target = {
    ...{ port: portOf(canary), tls: true, project: 'project-1', timeoutMs: 2_000, names: resolver },
    guard: createAddressGuard({ allow: parseAllowedNetworks('') }),
    signal: new AbortController().signal,
  }
  for (const host of privateAddresses) {
    const bare = host.replace(/^\[|\]$/g, '')
    await expect(guardDial({ ...target, host: bare })).rejects.toMatchObject({ name: 'OutboundError' })
  }
  const { lookup } = await guardDial({ ...target, host: 'rebound.example.com', names: rebinding('127.0.0.1') })
  const looked = new Promise((settle) => lookup('rebound.example.com', { all: true }, (error) => settle(error)))
  expect(await looked).toMatchObject({ name: 'UrlRefused', refusal: { code: 'address' } })
  const plain = { ...target, host: '203.0.114.5', tls: false }
  await expect(guardDial(plain)).rejects.toMatchObject({ message: expect.stringContaining('Without TLS') })
  expect(connections).toBe(0)
})

test('TLS that starts later needs a valid certificate, too', async () => {
  const target = { port: portOf(secure), host: '127.0.0.1', timeoutMs: 2_000, signal: new AbortController().signal }
  const start = async (ca?: string) => {
    const socket = await open({ port: target.port, tls: 'later' }, 'loopback')
    return await startTls(socket, { ...target, ...(ca !== undefined && { ca }) })
  }
  await expect(start()).rejects.toMatchObject({ kind: 'tls' })
  const socket = await start(testCertificate.cert)
  expect(socket.authorized).toBe(true)
  socket.destroy()
})

test('a certificate must be valid for the host', async () => {
  const target = { port: portOf(secure), host: '127.0.0.1' }
  await expect(open(target, 'loopback')).rejects.toMatchObject({ kind: 'tls' })
  const socket = await open({ ...target, ca: testCertificate.cert }, 'loopback')
  expect(String((await once(socket, 'data'))[0])).toBe('hello')
  socket.destroy()
  const elsewhere = { ...target, host: 'other.example', ca: testCertificate.cert, names: rebinding('127.0.0.1') }
  await expect(open(elsewhere, 'loopback')).rejects.toMatchObject({ kind: 'tls' })
})

test('a handshake that hangs ends at the deadline, or when it is cancelled', async () => {
  const target = { port: portOf(silent) }
  await expect(open({ ...target, timeoutMs: 100 }, 'loopback')).rejects.toMatchObject({ kind: 'timeout' })
  const cancel = new AbortController()
  const attempt = open({ ...target, signal: cancel.signal }, 'loopback')
  await once(silent, 'connection')
  cancel.abort()
  await expect(attempt).rejects.toMatchObject({ kind: 'aborted' })
})
