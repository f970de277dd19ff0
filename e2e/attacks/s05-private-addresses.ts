import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { postMessages } from '../../packages/server/src/features/messaging/messages/index.ts'
import {
  loopbackSpellings,
  privateAddresses,
  publicAddresses,
} from '../../packages/server/src/kernel/net/ssrf-vectors.ts'
import { a, aaaa, cname, type DnsAnswer, startDnsServer } from '../../packages/server/src/testkit/name-server.ts'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import type { Attack } from './attack.ts'

/**
 * Names private addresses wherever the service takes a URL: as an address, in other spellings, behind a name, and
 * behind a redirect. A canary listens at 127.0.0.1 and ::1. One address is open, 127.0.0.2, and stands for the public
 * Internet: there a server redirects to the canary.
 */

const openAddress = '127.0.0.2'

export const attack: Attack = {
  id: 'S5',
  title: 'No URL leads the service to a private address, and no public address is refused.',
  async run() {
    const faults: string[] = []
    let vectors = 0
    const folder = await mkdtemp(join(tmpdir(), 'mortise-s5-'))
    for (const [name, text] of Object.entries(providerFiles)) await writeFile(join(folder, `${name}.yaml`), text)
    const canary = await startCanary()
    const outside = await startRedirecting(canary.port)
    const resolution = { isTurned: false }
    const dns = await startDnsServer(answerOf(resolution))
    const app = await startTestApp({
      env: {
        MORTISE_PROVIDERS_DIR: folder,
        MORTISE_DNS_SERVERS: dns.address,
        MORTISE_ALLOW_PRIVATE_NETWORK: `${openAddress}/32`,
      },
    })
    try {
      const refusedUrls = [...literals(canary.port), ...forms(canary.port)]
      const reachingUrls = [...named(canary.port), ...redirects(canary.port)]
      for (const [place, send] of Object.entries(inputs)) {
        for (const url of refusedUrls) {
          vectors++
          const { status } = await send(app, url)
          if (status < 400 || status >= 500) faults.push(`${place} answers ${status} to ${url}.`)
        }
        for (const url of reachingUrls) {
          vectors++
          const { status } = await send(app, url)
          if (status >= 500 && status !== 502) faults.push(`${place} answers ${status} to ${url}.`)
          // What was public at the first look is private at the second.
          if (!url.includes('rebound')) continue
          resolution.isTurned = true
          await send(app, url)
          resolution.isTurned = false
        }
      }
      resolution.isTurned = true
      const attempts = await deliverToAll(app)
      const succeeded = attempts.filter(({ status }) => status !== null && status < 300).length
      const falseBlocks = await countFalseBlocks(app)
      if (canary.connections() > 0) faults.push(`the canary was reached ${canary.connections()} times.`)
      if (outside.requests() === 0) faults.push('the open address was not reached: the attack proves nothing.')
      return {
        passed: canary.connections() === 0 && falseBlocks === 0 && vectors > 600,
        figures: {
          inputs: Object.keys(inputs).length,
          vectors,
          deliveries: attempts.length,
          deliveriesSucceeded: succeeded,
          openReached: outside.requests(),
          reached: canary.connections(),
          falseBlocks,
        },
        faults: faults.slice(0, 20),
      }
    } finally {
      await app.stop()
      await Promise.all([canary.stop(), outside.stop(), dns.stop()])
      await rm(folder, { recursive: true, force: true })
    }
  },
}

const providerFiles = {
  based: `
name: based
baseUrl: '{{url}}'
inputs: [{ name: url, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Key }]
healthCheck: { path: /me }
`,
  tokened: `
name: tokened
baseUrl: 'http://${openAddress}:1'
inputs: [{ name: auth, kind: url }]
authentication: [{ scheme: oauth2, grantType: clientCredentials, tokenUrl: '{{auth}}' }]
healthCheck: { path: /me }
`,
}

let made = 0
const connect = (app: TestApp, body: object) =>
  app.call('POST', '/projects/default/connections:generate?verify=true', {
    groupRef: `group-${++made}`,
    consumerRef: 'person',
    ...body,
  })
/** Every input of the API that takes a URL. */
const inputs: Record<string, (app: TestApp, url: string) => ReturnType<TestApp['call']>> = {
  'a destination': (app, url) =>
    app.call('POST', '/projects/default/destinations', { name: `to-${++made}`, type: 'webhook', metadata: { url } }),
  'a source': (app, url) => app.call('PUT', '/projects/default/integrations:batch', { sourceZipUrl: url }),
  'the address of a provider': (app, url) =>
    connect(app, { provider: 'based', apiKey: 'a-key', providerMetadata: { url } }),
  'a token URL': (app, url) =>
    connect(app, {
      provider: 'tokened',
      oauth2ClientCredentials: { clientId: 'id', clientSecret: 'secret' },
      providerMetadata: { auth: url },
    }),
}

function literals(port: number): string[] {
  const hosts = privateAddresses.map((address) => (address.includes(':') ? `[${address}]` : address))
  return [...hosts, ...loopbackSpellings].flatMap((host) =>
    ['https', 'http'].map((scheme) => `${scheme}://${host}:${port}/`),
  )
}

/** URLs that are refused for something else than their address. */
function forms(port: number): string[] {
  const schemes = ['file:///etc/passwd', `gopher://127.0.0.1:${port}/`, `ftp://127.0.0.1:${port}/`, 'data:text/plain,x']
  const ports = [22, 25, 6379, 5432].map((each) => `https://public.example:${each}/`)
  return [...schemes, 'unix:/run/docker.sock', '//127.0.0.1/', `https://a:b@${openAddress}/`, ...ports]
}

const names = ['v4', 'v6', 'mapped', 'mixed', 'alias', 'metadata', '127-0-0-1.wildcard', 'rebound']

function named(port: number): string[] {
  return names.flatMap((name) => ['http', 'https'].map((scheme) => `${scheme}://${name}.example:${port}/`))
}

function redirects(port: number): string[] {
  const ways = ['301', '302', '303', '307', '308', 'chain', 'file', 'gopher', 'name', 'relative']
  return ways.map((way) => `http://${openAddress}:${port}/${way}`)
}

/** What the names lead to. The last one is public until it turns. */
function answerOf(resolution: { isTurned: boolean }): (name: string) => DnsAnswer {
  const answers: Record<string, (name: string) => DnsAnswer> = {
    v4: (name) => [a(name, '127.0.0.1', 0)],
    v6: (name) => [aaaa(name, '::1', 0)],
    mapped: (name) => [aaaa(name, '::ffff:127.0.0.1', 0)],
    mixed: (name) => [a(name, openAddress, 0), a(name, '127.0.0.1', 0), aaaa(name, '::1', 0)],
    alias: (name) => [cname(name, 'v4.example', 0), a('v4.example', '127.0.0.1', 0)],
    metadata: (name) => [a(name, '169.254.169.254', 0)],
    '127-0-0-1': (name) => [a(name, '127.0.0.1', 0)],
    rebound: (name) => [a(name, resolution.isTurned ? '127.0.0.1' : openAddress, 0)],
  }
  return (name) => answers[name.split('.')[0] ?? '']?.(name) ?? 'NXDOMAIN'
}

async function startCanary() {
  let connections = 0
  const canary = createTcpServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
  const { port } = canary.address() as AddressInfo
  const beside = createTcpServer((socket) => canary.emit('connection', socket))
  await new Promise<void>((resolve, reject) => beside.once('error', reject).listen(port, '::1', resolve))
  return {
    port,
    connections: () => connections,
    stop: () => Promise.all([canary, beside].map((server) => new Promise((resolve) => server.close(resolve)))),
  }
}

/** The server at the open address, on the port of the canary: whatever it is asked, it leads there. */
async function startRedirecting(port: number) {
  let requests = 0
  const inside = `http://127.0.0.1:${port}/`
  const targets: Record<string, string> = {
    chain: '/chain-2',
    'chain-2': '/chain-3',
    'chain-3': '/302',
    file: 'file:///etc/passwd',
    gopher: `gopher://127.0.0.1:${port}/`,
    name: `http://v4.example:${port}/`,
    relative: '//127.0.0.1/',
  }
  const server = createServer((request, response) => {
    requests++
    const way = request.url?.slice(1) ?? ''
    const status = /^\d{3}$/.test(way) ? Number(way) : 302
    response.writeHead(status, { location: targets[way] ?? inside, connection: 'close' }).end()
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, openAddress, resolve))
  return {
    requests: () => requests,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Sends a message to every destination that was made, and waits for an attempt at each. */
async function deliverToAll(app: TestApp): Promise<{ status: number | null }[]> {
  const { rows } = await sql<{ name: string }>`select name from destinations`.execute(app.db.sql)
  if (rows.length < 12) throw new Error(`only ${rows.length} destinations were made`)
  await app.db.transaction((tx) =>
    postMessages(
      tx,
      app.app.services,
      rows.map(({ name }) => ({ destinationName: name, kind: 'read' as const, payload: Buffer.from('{}') })),
    ),
  )
  for (const until = Date.now() + 60_000; Date.now() < until; await setTimeout(50)) {
    const { rows: attempts } = await sql<{ status: number | null }>`
      select distinct on (destination_id) status from attempts`.execute(app.db.sql)
    if (attempts.length >= rows.length) return attempts
  }
  throw new Error('not every destination was attempted in time')
}

/** Nothing is sent: a destination is named, and deleted. */
async function countFalseBlocks(app: TestApp): Promise<number> {
  let blocked = 0
  for (const address of publicAddresses) {
    const url = `https://${address.includes(':') ? `[${address}]` : address}/`
    const metadata = { url }
    const { status } = await app.call('POST', '/projects/default/destinations', {
      name: 'public',
      type: 'webhook',
      metadata,
    })
    if (status !== 201) blocked++
    else await app.call('DELETE', '/projects/default/destinations/public')
  }
  return blocked
}
