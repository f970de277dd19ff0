import { inspect } from 'node:util'
import type { ProviderEntry } from '../catalogue/entry.ts'
import type { ConnectionContext, Connector, ProviderHttp } from '../connector.ts'
import { resolveBaseUrl } from '../interpreter/base-url.ts'
import { checkHealth } from '../interpreter/check-health.ts'
import { createConnector } from '../interpreter/create-connector.ts'
import { NoConnector, ProviderError } from '../provider-error.ts'
import { originsOf as declaredOrigins } from '../provider-test/origins-of.ts'
import { plainHttp, type SeenRequest } from '../testing/http-server.testkit.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { EchoServer } from './echo-server.testkit.ts'
import { sampleAppValues, sampleValues, urlTemplates } from './sample-connection.ts'
import type { Placement, SampleCredential } from './sample-credentials.ts'

/**
 * Sends what a connection with this credential sends (a request of the proxy's kind, the health check, a page of an
 * object) to a real server in the provider's place, and says what is wrong with the requests.
 */
export async function requestFaults(
  entry: ProviderEntry,
  sample: SampleCredential,
  placement: Placement,
  server: EchoServer,
): Promise<string[]> {
  server.answerWith(200)
  const { seen } = await exchanges(entry, sample, server)
  if (seen.length === 0) return ['nothing was sent']
  return seen.flatMap((request) => misplaced(request, sample, placement))
}

/**
 * Lets the provider refuse the same requests with words that hold all that it was sent, and says where a secret comes
 * out.
 */
export async function leaks(entry: ProviderEntry, sample: SampleCredential, server: EchoServer): Promise<string[]> {
  const faults: string[] = []
  const ofApp = entry.appMetadata?.providerParams.flatMap(({ name, secret }) => (secret === true ? [name] : [])) ?? []
  const secrets = [...sample.secrets, ...ofApp.flatMap((name) => sampleAppValues(entry)[name] ?? [])]
  for (const status of [400, 401, 403, 429, 500]) {
    server.answerWith(status, entry.file?.errors.message)
    const { errors, connector } = await exchanges(entry, sample, server)
    if (errors.length === 0) faults.push(`${status} is no error`)
    for (const thing of [...errors, connector])
      for (const [what, text] of shownAs(thing))
        if (withoutSecrets(text, secrets) !== text) faults.push(`${status}: ${what} shows a secret: ${text}`)
  }
  return faults
}

/** Everything that a provider may ask for while it holds this credential, with what came of it. */
export async function exchanges(
  entry: ProviderEntry,
  { credential }: SampleCredential,
  server: EchoServer,
): Promise<{ seen: SeenRequest[]; errors: unknown[]; connector: Connector | undefined }> {
  const metadata = sampleValues(entry)
  const connection: ConnectionContext = { metadata, credential, app: sampleAppValues(entry) }
  const http = inPlaceOf(originsOf(entry, metadata), server)
  const errors: unknown[] = []
  const first = server.seen.length

  // Few providers have a health check: the base URL of the others is asked as if it were one.
  for (const asked of [entry, { ...entry, healthCheck: { url: entry.baseUrl } }])
    await checkHealth(asked, connection, http)?.catch((refused: unknown) => errors.push(refused))
  const connector = connectorOf(entry, connection, http)
  const [object] = connector?.objects() ?? []
  if (connector !== undefined && object !== undefined)
    await connector.readPage({ object, fields: ['id'] }).catch((refused: unknown) => errors.push(refused))
  const strange = errors.filter((one) => !(one instanceof ProviderError))
  if (strange.length > 0) throw new AggregateError(strange, 'The requests fail for another reason than the answer.')
  return { seen: server.seen.slice(first), errors, connector }
}

function connectorOf(entry: ProviderEntry, connection: ConnectionContext, http: ProviderHttp): Connector | undefined {
  try {
    return createConnector(entry, connection, http)
  } catch (error) {
    if (error instanceof NoConnector) return undefined
    throw error
  }
}

function originsOf(entry: ProviderEntry, values: Record<string, string>): string[] {
  const known = urlTemplates(entry).map(({ text }) => resolveBaseUrl(text, (name) => values[name]).origin)
  // The first object of a file may be on another host, which the file declares.
  return [...known, ...declaredOrigins(entry, { metadata: values })]
}

/** Requests to these origins go to the server. Any other origin is one that the entry does not declare. */
function inPlaceOf(origins: readonly string[], server: EchoServer): ProviderHttp {
  return (request) => {
    const { origin } = new URL(request.url)
    if (!origins.includes(origin)) throw new Error(`A request leaves for ${origin}.`)
    return plainHttp(fetch, { from: origin, to: server.origin })(request)
  }
}

/** What differs from the declared places, and where else a secret is. */
function misplaced(
  { method, url, headers, body }: SeenRequest,
  { secrets }: SampleCredential,
  placement: Placement,
): string[] {
  const faults: string[] = []
  const rest = { ...headers }
  for (const [name, value] of Object.entries(placement.headers)) {
    const sent = rest[name.toLowerCase()]
    if (sent !== value) faults.push(`${method} ${url.pathname}: header ${name} is ${JSON.stringify(sent)}`)
    delete rest[name.toLowerCase()]
  }
  const query = new URLSearchParams(url.searchParams)
  for (const [name, value] of Object.entries(placement.query)) {
    const sent = query.getAll(name)
    if (sent.length !== 1 || sent[0] !== value)
      faults.push(`${method} ${url.pathname}: ?${name} is ${JSON.stringify(sent)}`)
    query.delete(name)
  }
  const elsewhere = JSON.stringify([rest, url.pathname, [...query], body])
  if (withoutSecrets(elsewhere, secrets) !== elsewhere) faults.push(`a secret is elsewhere, too: ${elsewhere}`)
  if (!('Authorization' in placement.headers) && 'authorization' in rest) faults.push('an Authorization header is sent')
  return faults
}

/** Every way in which an error or an object comes to be read: logged, printed, answered. */
function shownAs(thing: unknown): [string, string][] {
  const texts: [string, string][] = [
    ['inspect', inspect(thing, { depth: 12, showHidden: true, getters: true })],
    ['JSON', JSON.stringify(thing) ?? ''],
    ['String', String(thing)],
  ]
  if (!(thing instanceof Error)) return texts
  const { message, stack = '', cause } = thing
  const own = JSON.stringify(
    Object.fromEntries(Object.getOwnPropertyNames(thing).map((key) => [key, thing[key as keyof Error]])),
  )
  return [...texts, ['message', message], ['stack', stack], ['cause', inspect(cause)], ['its properties', own]]
}
