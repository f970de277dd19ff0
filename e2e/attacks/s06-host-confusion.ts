import { createServer } from 'node:http'
import { InvalidInputs } from '@mortise/providers'
import { joinPath, resolveBaseUrl } from '../../packages/providers/src/interpreter/base-url.ts'
import {
  type ProxyingKit,
  secretKey,
  startProxyingKit,
} from '../../packages/server/src/features/provider-calls/proxying/proxying.testkit.ts'
import { a, startDnsServer } from '../../packages/server/src/testkit/name-server.ts'
import type { Attack } from './attack.ts'

/**
 * Puts hosts into paths of the proxy, and into the value that a provider file has in its host. Names below
 * `declared.test` lead to the provider, all others to a server of the attacker: neither their names may be looked up,
 * nor may a byte reach that server.
 */

const declared = 'declared.test'
const attackerAddress = '127.0.0.3'

const paths = [
  '//evil.example/',
  '/\\evil.example/',
  '\\\\evil.example/',
  '/\t/evil.example/',
  '@evil.example/',
  '.evil.example/',
  ':80@evil.example/',
  'http://evil.example/',
  '/..//evil.example/',
  '/%2fevil.example/',
  '/%2e%2e/%2e%2e/evil',
  '/http://evil.example/',
]
const values = [
  'evil.example/',
  'evil.example#',
  'evil.example?',
  'evil.example\\',
  'a@evil.example/',
  'a@evil.example',
  'x:443/',
  'evil.example:80',
  '%2e',
  'évil.example',
  '',
]

export const attack: Attack = {
  id: 'S6',
  title: 'A credential is sent to the host that the provider file declares, and to no other.',
  async run() {
    const faults: string[] = []
    const dns = await startDnsServer((name) => [
      a(name, name.endsWith(`.${declared}`) ? '127.0.0.1' : attackerAddress, 0),
    ])
    const kit = await startProxyingKit({
      env: { MORTISE_DNS_SERVERS: dns.address, MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback' },
      files: (url) => ({ templated: providerFile(new URL(url).port) }),
    })
    const { port } = new URL(kit.provider.url)
    const attacker = await startAttacker(Number(port))
    try {
      await kit.made('PUT', `${kit.base}/integrations:batch`, { sourceYaml: manifest })
      const installationId = await install(kit)
      const answered = await callThrough(kit, installationId)
      const sent = kit.provider.seen.map(({ url, headers }) => ({
        url,
        host: headers.host,
        key: headers['x-secret-token'],
      }))
      const wrong = sent.filter(({ url, host, key }) => {
        // As a server reads it that resolves dot segments.
        const { pathname } = new URL(url, kit.provider.url)
        return host !== `acme.${declared}:${port}` || !pathname.startsWith('/api/') || key !== secretKey
      })
      const taken = await connectWith(kit)
      const combined = combine()
      const strangers = dns.asked.filter((question) => !question.endsWith(`.${declared}`))
      faults.push(
        ...wrong.map(({ url }) => `${url} reached the provider in another way.`),
        ...taken.map((value) => `${JSON.stringify(value)} may stand in the host.`),
        ...combined.left.map((url) => `${url} is made of a template and a path.`),
        ...strangers.map((question) => `${question} was looked up.`),
      )
      if (sent.length === 0) faults.push('no request reached the provider: the attack proves nothing.')
      const leaks = attacker.requests() + strangers.length + wrong.length + combined.left.length
      return {
        passed: leaks === 0 && taken.length === 0,
        figures: {
          paths: paths.length,
          values: values.length,
          combinations: combined.count,
          requests: answered,
          toTheDeclaredHost: sent.length,
          leaks,
        },
        faults,
      }
    } finally {
      await kit.stop()
      await Promise.all([attacker.stop(), dns.stop()])
    }
  },
}

const providerFile = (port: string) => `
name: templated
baseUrl: 'http://{{site}}.${declared}:${port}/api'
inputs: [{ name: site }]
authentication: [{ scheme: apiKey, attach: header, name: X-Secret-Token }]
`
const manifest = `
specVersion: 1.0.0
integrations:
  - { name: templated, provider: templated, proxy: { enabled: true } }
`
const account = (site: string) => ({
  provider: 'templated',
  consumerRef: 'person',
  apiKey: secretKey,
  providerMetadata: { site },
})

async function install(kit: ProxyingKit): Promise<string> {
  const connected = await kit.made<{ id: string }>('POST', `${kit.base}/connections:generate`, {
    groupRef: 'acme',
    ...account('acme'),
  })
  const { id } = await kit.made<{ id: string }>('POST', `${kit.base}/integrations/templated/installations`, {
    groupRef: 'acme',
    connectionId: connected.id,
    config: { content: { provider: 'templated' } },
  })
  return id
}

/** Calls each path below `/proxy`, and as it is at a host `proxy.…`. Returns how many requests were answered. */
async function callThrough(kit: ProxyingKit, installationId: string): Promise<number> {
  let answered = 0
  for (const path of paths)
    for (const [target, host] of [
      [`/proxy${path}`, 'mortise.example.com'],
      [path, 'proxy.example.com'],
    ]) {
      const answer = await kit.raw(Buffer.from(kit.head(installationId, `GET ${target} HTTP/1.1`, [], host), 'latin1'))
      if (answer.startsWith('HTTP/1.1 ')) answered++
    }
  return answered
}

/** Connects an account with each value; returns those that are taken. */
async function connectWith(kit: ProxyingKit): Promise<string[]> {
  const taken: string[] = []
  for (const [index, value] of values.entries()) {
    const path = `${kit.base}/connections:generate?verify=true`
    const { status } = await kit.app.call('POST', path, { groupRef: `group-${index}`, ...account(value) })
    if (status < 400) taken.push(value)
  }
  return taken
}

/** Each value with each path, as the interpreter joins them: what is not refused has to stay at the declared host. */
function combine(): { count: number; left: string[] } {
  const left: string[] = []
  for (const value of values)
    for (const path of paths) {
      try {
        const url = joinPath(
          resolveBaseUrl(`https://{{site}}.${declared}/api`, () => value),
          path,
        )
        if (!url.hostname.endsWith(`.${declared}`) || !url.pathname.startsWith('/api/')) left.push(url.href)
      } catch (error) {
        if (!(error instanceof InvalidInputs) && !(error instanceof RangeError)) throw error
      }
    }
  return { count: values.length * paths.length, left }
}

async function startAttacker(port: number) {
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    response.end('{}')
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, attackerAddress, resolve))
  return {
    requests: () => requests,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
