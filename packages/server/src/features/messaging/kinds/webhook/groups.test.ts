import { afterEach, describe, expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { openForTest } from '../conformance.testkit.ts'
import { startHttpTarget } from '../http-target.testkit.ts'
import type { DestinationKind, SenderServices } from '../kind.ts'
import { maskedUrl } from '../masks.ts'
import { webhook } from './index.ts'

const kind = webhook as DestinationKind
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const read = (url: string) =>
  kind.readSettings({ url }, 'metadata', { guard: createAddressGuard({ allow: parseAllowedNetworks('loopback') }) })

/** Sends a message to a URL, and returns the outcome and the path that was requested. */
async function sent(
  path: string,
  body: object,
  originsOf?: SenderServices['originsOf'],
): Promise<[outcome: string | undefined, path: string | undefined]> {
  const paths: string[] = []
  const target = await startHttpTarget({
    settings: (port) => ({ url: `http://127.0.0.1:${port}${path}` }),
    secret: 'unused',
    answer: ({ path }) => {
      paths.push(path)
      return { status: 204 }
    },
  })
  const { send, close } = openForTest(kind, target.settings, { ...(originsOf && { originsOf }) })
  closing.push(close, () => target.stop())
  const message = { id: '0197b1c0-0000-7000-8000-000000000000', kind: 'read', eventType: undefined }
  const [result] = await send([{ ...message, body: Buffer.from(JSON.stringify(body)) }])
  return [result?.outcome, paths[0]]
}

describe('{{connectionId}} in the URL of a webhook', () => {
  const url = '/hooks/{{groupRef}}/{{connectionId}}?c={{connectionId}}'

  it('is the connection of the installation of a message', async () => {
    const asked: unknown[] = []
    const origins: SenderServices['originsOf'] = async (sources) => {
      asked.push(...sources)
      return [{ connectionId: 'c-1' }]
    }
    expect(await sent(url, { groupRef: '{{connectionId}}', installationId: 'i-1' }, origins)).toEqual([
      'delivered',
      '/hooks/%7B%7BconnectionId%7D%7D/c-1?c=c-1',
    ])
    expect(asked).toEqual([{ installationId: 'i-1', eventType: undefined }])
  })

  it('is the connection that a notification names, without a query', async () => {
    const origins = async () => expect.fail('a query')
    expect(await sent(url, { data: { groupRef: 'acme', connectionId: 'c-2' } }, origins)).toEqual([
      'delivered',
      '/hooks/acme/c-2?c=c-2',
    ])
  })

  it.each([
    ['without an installation', { groupRef: 'acme' }],
    ['of an installation that was deleted', { groupRef: 'acme', installationId: 'i-1' }],
    ['with something else in its place', { groupRef: 'acme', data: { connectionId: '../x' } }],
  ])('is _ for a message %s', async (_, body) => {
    expect(await sent(url, body, async () => [{}])).toEqual(['delivered', '/hooks/acme/_?c=_'])
  })

  it('is accepted in the path and the query only, and shown to people', () => {
    const accepted = `https://example.com${url}`
    expect(read(accepted)).toMatchObject({ settings: { url: accepted }, issues: [] })
    expect(maskedUrl(accepted)).toBe(accepted)
    for (const refused of ['https://{{connectionId}}.example.com/', 'https://example.com/#{{connectionId}}'])
      expect(read(refused).issues).toMatchObject([
        { detail: expect.stringContaining('{{connectionId}} can only be in the path and the query.') },
      ])
  })
})

describe('{{groupRef}} in the URL of a webhook', () => {
  it.each([
    ['acme', '/hooks/acme?group=acme'],
    ['a/b?c=d&e#f', '/hooks/a%2Fb%3Fc%3Dd%26e%23f?group=a%2Fb%3Fc%3Dd%26e%23f'],
    ['@evil.example.com:1', '/hooks/%40evil.example.com%3A1?group=%40evil.example.com%3A1'],
    ['%2e%2e', '/hooks/%252e%252e?group=%252e%252e'],
    ['$& {{groupRef}}', '/hooks/%24%26%20%7B%7BgroupRef%7D%7D?group=%24%26%20%7B%7BgroupRef%7D%7D'],
    ['Zoë\ud800\n', '/hooks/Zo%C3%AB%EF%BF%BD%0A?group=Zo%C3%AB%EF%BF%BD%0A'],
  ])('is the group %j, percent-encoded', async (groupRef, path) => {
    expect(await sent('/hooks/{{groupRef}}?group={{groupRef}}', { groupRef })).toEqual(['delivered', path])
  })

  it('is the group of a notification, too', async () => {
    expect(await sent('/{{groupRef}}', { notificationType: 'x', data: { groupRef: 'acme' } })).toEqual([
      'delivered',
      '/acme',
    ])
  })

  it('is _ for a message without a group', async () => {
    for (const body of [{}, { groupRef: '' }, { groupRef: 7 }, { data: null }])
      expect(await sent('/hooks/{{groupRef}}', body)).toEqual(['delivered', '/hooks/_'])
  })

  it('never makes another path of dots', async () => {
    for (const groupRef of ['.', '..', '...'])
      expect(await sent('/hooks/.{{groupRef}}', { groupRef })).toEqual(['refused', undefined])
  })

  it.each([
    'https://{{groupRef}}.example.com/hooks',
    'https://example.com:{{groupRef}}/hooks',
    'https://{{groupRef}}:x@example.com/hooks',
    'https://example.com{{groupRef}}',
    '{{groupRef}}://example.com/',
    'https://example.com/hooks#{{groupRef}}',
    ' https://{{groupRef}}.example.com/hooks',
    'https:\t//{{groupRef}}.example.com/hooks',
    'https:/\n/{{groupRef}}.example.com/hooks',
    'https://example.com/hooks#a\n{{groupRef}}',
    'https://example.com/{{group}}',
    'https://example.com/{{groupRef',
    'https://example.com/groupRef}}',
    'https://example.com/{{ groupRef }}',
  ])('is refused in %s', (url) => {
    expect(read(url).issues.map(({ name }) => name)).toEqual(['metadata.url'])
  })

  it('is accepted in the path and the query, and shown to people', () => {
    const url = 'https://example.com/hooks/{{groupRef}}?group={{groupRef}}'
    expect(read(url)).toMatchObject({ settings: { url }, issues: [] })
    expect(maskedUrl(url)).toBe(url)
  })

  it('names a placeholder that is unknown', () => {
    expect(read('https://example.com/{{group}}').issues).toMatchObject([
      { detail: expect.stringContaining('the unknown placeholder {{group}}'), remedy: expect.any(String) },
    ])
  })
})
