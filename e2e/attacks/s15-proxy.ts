import { once } from 'node:events'
import { request as requestTo } from 'node:http'
import process from 'node:process'
import { Readable } from 'node:stream'
import {
  type ProxyingKit,
  secretKey,
  startProxyingKit,
} from '../../packages/server/src/features/provider-calls/proxying/proxying.testkit.ts'
import type { Attack } from './attack.ts'
import { Faults } from './faults.testkit.ts'

/**
 * Smuggles headers, requests and tunnels through the proxy, streams bodies larger than memory should hold, and has them
 * asked for twice.
 */

const megabyte = 1024 * 1024
const streamed = { short: 8 * megabyte, long: 100 * megabyte }
const heldBytesMax = 64 * megabyte
/** What the provider may see of a request with every header below. */
const allowed = ['host', 'connection', 'x-secret-token', 'x-kept', 'content-length', 'transfer-encoding']

/** Headers of the connection, of this service, of a proxy before it, and such as claim to be the credential. */
const forbidden = [
  'X-Secret: 1',
  'X-Forwarded-For: 1.2.3.4',
  'X-Forwarded-Host: evil.example',
  'X-Forwarded-Proto: https',
  'Forwarded: for=1.2.3.4',
  'X-Real-Ip: 1.2.3.4',
  'Via: 1.1 a',
  'Cookie: mortise=1',
  'Authorization: Bearer of-the-caller',
  'Proxy-Authorization: Basic eDp5',
  'Proxy-Connection: close',
  'Keep-Alive: timeout=9',
  'TE: trailers',
  'Trailer: x',
  'Upgrade: websocket',
  'HTTP2-Settings: AAMAAABkAAQ',
  'X-Mortise-Anything: 1',
  'X-Amp-Client: a',
  'X-Secret-Token: of-the-caller',
]
const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'

export const attack: Attack = {
  id: 'S15',
  title: 'The proxy passes on what it should, holds no body, and never sends the key of the platform.',
  async run({ long }) {
    const faults = new Faults()
    await using kit = await startProxyingKit()
    const installationId = (await kit.install('keyed', 'acme')).id
    const requests = await smuggle(kit, installationId, faults)
    const bytes = long ? streamed.long : streamed.short
    const heldBytes = await stream(kit, installationId, bytes, faults)
    const replayed = await replay(kit, faults)
    const keysForwarded = kit.provider.seen.filter((seen) => {
      return JSON.stringify([seen.url, seen.rawHeaders]).includes(kit.app.apiKey) || seen.body.includes(kit.app.apiKey)
    }).length
    if (keysForwarded > 0) faults.add('the key of the platform reached the provider.')
    return {
      passed: heldBytes <= heldBytesMax,
      figures: {
        hostileRequests: requests,
        headersOffered: forbidden.length,
        streamedMb: bytes / megabyte,
        heldMb: Math.round(heldBytes / megabyte),
        replayedBodies: replayed,
        keysForwarded,
      },
      faults: faults.list,
    }
  },
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])

/** Sends requests that two parsers could read in two ways. Returns their number. */
async function smuggle(kit: ProxyingKit, installationId: string, faults: Faults): Promise<number> {
  const head = (first: string, more?: string[]) => kit.head(installationId, first, more)
  const body = `0\r\n\r\n${smuggled}`
  const [get, post] = ['GET /proxy/x HTTP/1.1', 'POST /proxy/x HTTP/1.1']
  const refused: Record<string, string> = {
    'a length beside chunks': head(post, [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked']) + body,
    'two lengths': head(post, ['Content-Length: 3', 'Content-Length: 4']) + body,
    'a list of lengths': head(post, ['Content-Length: 3, 3']) + body,
    'another coding': head(post, ['Transfer-Encoding: chunked, identity']) + body,
    'a hidden coding': head(post, ['Transfer-Encoding: xchunked']) + body,
    'a space before the colon': head(post, ['Transfer-Encoding : chunked']) + body,
    'a carriage return in a header': head(get, ['X-A: b\rX-Evil: 1']),
    'a line feed in a header': head(get, ['X-A: b\nX-Evil: 1']),
    'a NUL in a header': head(get, ['X-A: b\0c']),
    'two hosts': head(get, ['Host: evil.example']),
    'an absolute URL': head('GET http://evil.example/proxy/x HTTP/1.1'),
    'a tunnel': head('CONNECT evil.example:443 HTTP/1.1'),
  }
  for (const [what, text] of Object.entries(refused)) {
    const status = statusOf(await kit.raw(Buffer.from(text, 'latin1')))
    // 501: there is no such method here.
    if ((status < 400 || status >= 500) && status !== 501) faults.add(`${what} is answered with ${status}.`)
  }
  const reached = kit.provider.seen.filter(({ url }) => url !== '/api/x')
  faults.list.push(...reached.map(({ url }) => `${url} reached the provider.`))

  const before = kit.provider.seen.length
  const withKey = [...forbidden, `X-Debug: key=${kit.app.apiKey}`, `X-Api-Key-Copy: ${kit.app.apiKey}`, 'X-Kept: 1']
  const offered = head(get, withKey).replace('Connection: close', 'Connection: close, x-secret, upgrade')
  if (statusOf(await kit.raw(offered)) !== 200) faults.add('a request with every header is not answered with 200.')
  const seen = kit.provider.seen[before]
  const sent = Object.keys(seen?.headers ?? {})
  faults.list.push(
    ...sent.filter((name) => !allowed.includes(name)).map((name) => `the header ${name} reached the provider.`),
  )
  if (seen?.headers['x-secret-token'] !== secretKey) faults.add('the caller chose the credential.')
  if (seen?.headers['x-kept'] !== '1') faults.add('an ordinary header did not reach the provider.')
  if (seen?.headers.host !== new URL(kit.provider.url).host) faults.add('the caller chose the host.')
  const inUrl = await kit.call(installationId, `/x?apiKey=${kit.app.apiKey}`)
  if (inUrl.status !== 400) faults.add(`the key of the platform in a URL is answered with ${inUrl.status}.`)
  return Object.keys(refused).length + 2
}

/** Streams a body to a provider that sends it back as it comes. Returns the most memory that buffers took meanwhile. */
async function stream(kit: ProxyingKit, installationId: string, bytes: number, faults: Faults): Promise<number> {
  let up = 0
  kit.provider.answers((request, response) => {
    response.writeHead(200, { 'content-length': `${bytes}` })
    request.on('data', (chunk: Buffer) => {
      up += chunk.length
    })
    request.pipe(response)
  })
  const chunk = Buffer.alloc(64 * 1024, 7)
  let left = bytes / chunk.length
  const source = new Readable({ read: () => source.push(left-- > 0 ? chunk : null) })
  const sent = requestTo(kit.app.url, {
    method: 'PUT',
    path: '/proxy/large',
    headers: kit.headers(installationId, { 'content-length': `${bytes}` }),
    agent: false,
  })
  const before = process.memoryUsage().arrayBuffers
  source.pipe(sent)
  const [answer] = await once(sent, 'response')
  let down = 0
  let held = 0
  for await (const part of answer) {
    down += part.length
    held = Math.max(held, process.memoryUsage().arrayBuffers - before)
  }
  kit.provider.answers(undefined)
  if (up !== bytes || down !== bytes) faults.add(`of ${bytes} bytes ${up} went up and ${down} came down.`)
  return held
}

/**
 * Has a body asked for twice, by a provider that refuses the first token. A short one comes again, whole. One that is
 * too long to be kept passes on the refusal: the provider never takes a part of it for the whole. Returns how many came
 * again.
 */
async function replay(kit: ProxyingKit, faults: Faults): Promise<number> {
  const client = { oauth2ClientCredentials: { clientId: 'a', clientSecret: 'b' } }
  let replayed = 0
  for (const size of [1_000, 60_000, megabyte, 8 * megabyte]) {
    const { id } = await kit.install('tokened', `of-${size}`, client)
    await kit.call(id, '/first')
    // A token that was issued this minute and is refused is not renewed.
    kit.app.clock.advance(120_000)
    const old = kit.provider.tokens
    const taken: Buffer[] = []
    kit.provider.answers((request, response) => {
      const isOld = request.headers.authorization === `Bearer token-${old}`
      kit.provider.note(request).then(
        (body) => {
          if (!isOld) taken.push(body)
          response.writeHead(isOld ? 401 : 200).end()
        },
        () => response.destroy(),
      )
    })
    const body = Buffer.alloc(size, 'x')
    const answer = await kit.call(id, '/x', { method: 'POST', body })
    kit.provider.answers(undefined)
    if (taken.some((one) => !one.equals(body))) faults.add(`the provider took a part of ${size} bytes for the whole.`)
    if (answer.status !== 200 && answer.status !== 401) faults.add(`${size} bytes are answered with ${answer.status}.`)
    if (answer.status === 200) replayed++
    if ((answer.status === 200) !== (taken.length === 1)) faults.add(`${size} bytes were taken ${taken.length} times.`)
  }
  if (replayed < 2) faults.add('short bodies do not come again.')
  return replayed
}
