import { stat } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { a, aaaa, cname, type DnsAnswer, type DnsServer, startDnsServer } from '../../../testkit/name-server.ts'
import { parseDnsServers } from './dns-servers.ts'
import { parseHosts } from './host-names.ts'
import { createNameResolver, type NameResolverOptions } from './name-resolver.ts'
import { NameUnresolved, ResolverBusy } from './resolver-busy.ts'
import { parseSearchRule, searchNames } from './search-names.ts'
import { hasOtherSources } from './system-names.ts'

let server: DnsServer
let zone: Record<string, DnsAnswer>
beforeAll(async () => {
  server = await startDnsServer((name) => (name.startsWith('slow-') ? 'silence' : (zone[name] ?? 'NXDOMAIN')))
})
afterAll(() => server.stop())
beforeEach(() => {
  zone = {}
  server.asked.length = 0
  server.silent.clear()
})

const resolverOf = (options: NameResolverOptions = {}) => createNameResolver({ servers: [server.address], ...options })
const addressesOf = async (found: Promise<{ address: string }[]>) => (await found).map(({ address }) => address)
const codeOf = (found: Promise<unknown>) =>
  found.then(
    () => 'resolved',
    (error: { code?: string }) => error.code,
  )

describe('what a name resolves to', () => {
  test('both families, IPv4 first', async () => {
    zone['both.example'] = [aaaa('both.example', '2606:4700::1'), a('both.example', '8.8.8.8')]
    expect(await resolverOf().resolve('both.example')).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ])
  })
  test('one family alone is enough', async () => {
    zone['six.example'] = [aaaa('six.example', '2606:4700::1')]
    expect(await addressesOf(resolverOf().resolve('six.example'))).toEqual(['2606:4700::1'])
  })
  test('a family that is never answered does not keep the other back for the whole deadline', async () => {
    const half = await startDnsServer((name, type) => (type === 'A' ? [a(name, '8.8.8.8', 300)] : 'silence'))
    const names = resolverOf({ servers: [half.address], deadlineMs: 60_000 })
    expect(await addressesOf(names.resolve('half.example'))).toEqual(['8.8.8.8'])
    await half.stop()
  })
  test('the end of a chain of aliases', async () => {
    zone['alias.example'] = [cname('alias.example', 'real.example'), a('real.example', '8.8.4.4')]
    expect(await addressesOf(resolverOf().resolve('alias.example'))).toEqual(['8.8.4.4'])
  })
  test('localhost and names below it are loopback, and literal addresses themselves, without a query', async () => {
    const names = resolverOf()
    expect(await addressesOf(names.resolve('localhost'))).toContain('127.0.0.1')
    expect(await addressesOf(names.resolve('app.localhost'))).toEqual(['127.0.0.1', '::1'])
    expect(names.known('2606:4700::1')).toEqual([{ address: '2606:4700::1', family: 6 }])
    expect(server.asked).toEqual([])
  })
  test.each([
    ['there is no such name', 'NXDOMAIN', 'ENOTFOUND'],
    ['the name has no address', [], 'ENOTFOUND'],
    ['the server fails', 'SERVFAIL', 'ESERVFAIL'],
  ] as const)('when %s it is said so', async (_, answer, code) => {
    zone['bad.example'] = answer as DnsAnswer
    expect(await codeOf(resolverOf().resolve('bad.example'))).toBe(code)
  })
  test.each(['', 'a'.repeat(64), 'x..y', `${'a.'.repeat(200)}example`, 'a b'])(
    '"%s" is no name, and fails',
    async (name) => {
      expect(await codeOf(resolverOf({ deadlineMs: 50 }).resolve(name))).toMatch(/^E/)
    },
  )
  test('a name that is never answered ends at the deadline', async () => {
    await expect(resolverOf({ deadlineMs: 50 }).resolve('slow-1.example')).rejects.toMatchObject({ code: 'ETIMEOUT' })
  })
})

describe('what is known is not asked again', () => {
  test('one query serves all who ask at the same moment, and those who ask later', async () => {
    zone['kept.example'] = [a('kept.example', '8.8.8.8')]
    const names = resolverOf()
    await Promise.all(Array.from({ length: 50 }, () => names.resolve('Kept.example')))
    await names.resolve('kept.example')
    expect(names.known('KEPT.example')).toHaveLength(1)
    expect(server.asked.toSorted()).toEqual(['A kept.example', 'AAAA kept.example'])
  })
  test('a failure is remembered too', async () => {
    const names = resolverOf()
    await codeOf(names.resolve('none.example'))
    await codeOf(names.resolve('none.example'))
    expect(() => names.known('none.example')).toThrow(NameUnresolved)
    expect(server.asked).toHaveLength(2)
  })
  test('an answer without a time to live is asked for again a second later, and counts on while DNS fails', async () => {
    zone['brief.example'] = [a('brief.example', '8.8.8.8', 0)]
    const names = resolverOf()
    await names.resolve('brief.example')
    await expect.poll(() => names.known('brief.example')).toBeUndefined()
    zone['brief.example'] = 'SERVFAIL'
    expect(await addressesOf(names.resolve('brief.example'))).toEqual(['8.8.8.8'])
    expect(server.asked).toHaveLength(4)
  })
  test('a name that has gone is gone, whatever it was before', async () => {
    zone['gone.example'] = [a('gone.example', '8.8.8.8', 0)]
    const names = resolverOf()
    await names.resolve('gone.example')
    await expect.poll(() => names.known('gone.example')).toBeUndefined()
    zone['gone.example'] = 'NXDOMAIN'
    expect(await codeOf(names.resolve('gone.example'))).toBe('ENOTFOUND')
  })
})

describe('names that never resolve', () => {
  test('of one project fill its own slots, and no other project’s', async () => {
    zone['good.example'] = [a('good.example', '8.8.8.8')]
    const names = resolverOf({ perProject: 4, total: 8 })
    const slow = Array.from({ length: 500 }, (_, n) => codeOf(names.resolve(`slow-${n}.example`, 'hostile')))
    expect(await addressesOf(names.resolve('good.example', 'healthy'))).toEqual(['8.8.8.8'])
    const codes = await Promise.all(slow)
    expect(codes.filter((code) => code === 'ETIMEOUT')).toHaveLength(4)
    expect(codes.filter((code) => code === 'MORTISE_RESOLVER_BUSY')).toHaveLength(496)
    expect(server.silent.size).toBe(4)
  })
  test('of many projects give their slots to a project that has fewer', async () => {
    zone['good.example'] = [a('good.example', '8.8.8.8')]
    const names = resolverOf({ perProject: 4, total: 8 })
    const slow = Array.from({ length: 8 }, (_, n) => codeOf(names.resolve(`slow-${n}.example`, `hostile-${n}`)))
    expect(await addressesOf(names.resolve('good.example', 'healthy'))).toEqual(['8.8.8.8'])
    expect(await slow[0]).toBe('MORTISE_RESOLVER_BUSY')
    const last = codeOf(names.resolve('slow-8.example', 'hostile-8'))
    await expect(names.resolve('slow-9.example', 'hostile-1')).rejects.toBeInstanceOf(ResolverBusy)
    expect(new Set(await Promise.all([...slow.slice(1), last]))).toEqual(new Set(['ETIMEOUT']))
  })
  test('end early, as too slow, once others of the project need their slots', async () => {
    zone['good.example'] = [a('good.example', '8.8.8.8')]
    const names = resolverOf({ perProject: 2, lateMs: 0 })
    const slow = [1, 2].map((n) => codeOf(names.resolve(`slow-${n}.example`, 'one')))
    await expect.poll(() => server.silent.size).toBe(2)
    expect(await addressesOf(names.resolve('good.example', 'one'))).toEqual(['8.8.8.8'])
    expect(await slow[0]).toBe('ETIMEOUT')
    await slow[1]
  })
  test('make their project busy until one of them has ended; others learn it at once', async () => {
    const names = resolverOf({ perProject: 2, deadlineMs: 1_500 })
    const slow = [1, 2].map((n) => codeOf(names.resolve(`slow-${n}.example`, 'one')))
    await expect.poll(() => names.isBusy('other.example', 'one')).toBe(true)
    expect(await codeOf(names.resolve('other.example', 'one'))).toBe('MORTISE_RESOLVER_BUSY')
    expect(names.isBusy('other.example', 'another project')).toBe(false)
    for (const open of ['slow-1.example', '127.0.0.1', 'localhost']) expect(names.isBusy(open, 'one')).toBe(false)
    await Promise.all(slow)
    expect(names.isBusy('other.example', 'one')).toBe(false)
  })

  test('do not keep a project from a name that it resolved before', async () => {
    zone['brief.example'] = [a('brief.example', '8.8.8.8', 0)]
    const names = resolverOf({ perProject: 1 })
    await names.resolve('brief.example', 'one')
    await expect.poll(() => names.known('brief.example')).toBeUndefined()
    const slow = codeOf(names.resolve('slow-1.example', 'one'))
    expect(names.isBusy('brief.example', 'one')).toBe(false)
    expect(await addressesOf(names.resolve('brief.example', 'one'))).toEqual(['8.8.8.8'])
    await slow
  })
  test('leave the thread pool free', async () => {
    const names = resolverOf({ perProject: 200, total: 200 })
    const slow = Promise.all(Array.from({ length: 200 }, (_, n) => codeOf(names.resolve(`slow-${n}.example`))))
    // A busy machine may drop some of so many datagrams. The pool has four threads.
    await expect.poll(() => server.silent.size).toBeGreaterThan(100)
    // A file is looked at in a thread of the pool.
    expect(await Promise.race([stat('/').then(() => 'file'), slow.then(() => 'names')])).toBe('file')
    await slow
  })
})

describe('short names, as containers use them', () => {
  const kubernetes = parseSearchRule(
    'nameserver 10.0.0.10\nsearch apps.svc.cluster.local svc.cluster.local cluster.local.\noptions ndots:5 trust-ad\n',
  )
  test('a name with few dots is tried in each search domain first', () => {
    expect(kubernetes).toEqual({ domains: ['apps.svc.cluster.local', 'svc.cluster.local', 'cluster.local'], dots: 5 })
    expect(searchNames('crm.sales', kubernetes)).toEqual([
      'crm.sales.apps.svc.cluster.local',
      'crm.sales.svc.cluster.local',
      'crm.sales.cluster.local',
      'crm.sales',
    ])
  })
  test('a name with a dot at its end, or enough within, is tried as it is', () => {
    expect(searchNames('crm.sales.', kubernetes)).toEqual(['crm.sales'])
    expect(searchNames('a.b.c.d.e.f', kubernetes)[0]).toBe('a.b.c.d.e.f')
    expect(searchNames('api.example.com', parseSearchRule('search corp.example\n'))[0]).toBe('api.example.com')
    expect(searchNames('crm', parseSearchRule('search .\n'))).toEqual(['crm'])
    expect(searchNames('crm', parseSearchRule('domain one.example\nsearch two.example\n'))).toEqual([
      'crm.two.example',
      'crm',
    ])
  })
  test('the hosts file counts, comments left out', () => {
    const hosts = parseHosts(
      '127.0.0.1 localhost # me\n10.0.0.5\tCRM crm.internal\n::1 localhost\n# 10.0.0.9 no\nrubbish here\n',
    )
    expect(hosts.get('crm')).toEqual([{ address: '10.0.0.5', family: 4 }])
    expect(hosts.get('localhost')).toHaveLength(2)
    expect(hosts.has('no')).toBe(false)
  })
  test.each([
    ['hosts: files dns', 'linux', false],
    ['', 'linux', false],
    ['passwd: files\nhosts:  files mdns4_minimal [NOTFOUND=return] dns myhostname', 'linux', true],
    ['hosts: resolve [!UNAVAIL=return] files dns', 'linux', true],
    ['', 'darwin', true],
  ] as const)('the C library is asked only where it may know more: "%s" on %s: %s', (text, platform, expected) => {
    expect(hasOtherSources(text, platform)).toBe(expected)
  })
})

test.each(['1.1.1.1', '1.1.1.1:53', '::1', '[::1]:5353', '[::1]', ' 1.1.1.1 , 8.8.8.8:53'])(
  '"%s" names DNS servers',
  (text) => {
    expect(parseDnsServers(text).length).toBeGreaterThan(0)
  },
)
test.each(['dns.example', '1.1.1', '1.1.1.1:0', '1.1.1.1:70000', '::1:x', '[1.1.1.1]:53', '1.1.1.1;8.8.8.8'])(
  '"%s" names no DNS server',
  (text) => {
    expect(() => parseDnsServers(text)).toThrow(/IP addresses/)
  },
)
