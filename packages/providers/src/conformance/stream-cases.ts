import type { ProviderEntry } from '../catalogue/entry.ts'
import type { EventStream } from '../catalogue/format/stream.ts'
import type { ConnectionContext, LiveCredential } from '../connector.ts'
import { attachCredential } from '../interpreter/auth.ts'
import { compilePattern } from '../interpreter/pattern.ts'
import { type OpenedStream, openStream } from '../interpreter/streams/open-stream.ts'
import { topicOf } from '../interpreter/streams/topic-of.ts'
import { streamOf } from '../interpreter/webhooks/webhooks-of.ts'
import { ProviderError } from '../provider-error.ts'
import { ruledClass } from './failing-reads.ts'
import { basicHeader, type SampleCredential, sampleCredentials, secretOf } from './sample-credentials.ts'
import { declaredRequest } from './stand-in/declared-request.ts'
import { filledText, type Values } from './stand-in/fill.ts'
import type { Answer } from './stand-in/http-server.ts'
import { type Json, withValue } from './stand-in/json-paths.ts'
import type { StandInServer } from './stand-in/server.ts'
import { fixedRoute, type StandIn } from './stand-in/stand-in.ts'
import { type Subject, subjectsOf } from './stand-in/subject.ts'
import { now } from './stand-in/window-texts.ts'
import { streamEventCases } from './stream-event-cases.ts'
import { StandInLimit, type Tried, tryCase } from './tried.ts'

/** A stream that a file declares: for all modules (''), or for one. */
export interface DeclaredStream {
  module: string
  stream: EventStream
}

export function declaredStreams({ file }: ProviderEntry): DeclaredStream[] {
  const ofModules = [...(file?.sets ?? [])].map(([module, { stream }]) => ({ module, stream }))
  return [{ module: '', stream: file?.stream }, ...ofModules].flatMap(({ module, stream }) =>
    stream === undefined ? [] : [{ module, stream }],
  )
}

/**
 * Tests what a file says of its stream, except the protocol itself: the requests before a call, its headers, the topics
 * and the events.
 *
 * @param declared the provider as the file of the stand-in declares it, with one of its streams
 */
export async function streamCases(
  entry: ProviderEntry,
  declared: DeclaredStream & { entry: ProviderEntry },
  server: StandInServer,
): Promise<Tried[]> {
  const { module, stream } = declared
  const tested = streamOf(entry, module)
  if (tested === undefined) return [{ group: 'stream', name: 'connect', faults: ['the file has no such stream'] }]
  const run = (name: string, test: () => Promise<string[]>) => tryCase('stream', name, test)
  const at = (other?: Instead) => openAt(entry, declared, server, other)
  const objects = [...(declared.entry.file?.sets.get(module)?.objects.keys() ?? [])]
  const tried = [
    await run('topics', async () => topicFaults(tested, stream, objects)),
    await run('connect', async () => connectFaults(at())),
    await run('refused credential', async () => refusedFaults(at())),
    await run('no OAuth', async () => noOAuthFaults(at())),
  ]
  for (const [lookup, { name, value }] of (stream.lookups ?? []).entries()) {
    const fails = (what: string, instead: (answer: Answer) => Answer, wanted: string) =>
      run(`${what} ${name}`, async () => failedWith(wanted, at({ lookup, instead }).opened))
    const refused = { status: 503, body: { message: 'No.' } }
    tried.push(
      await fails('html', () => ({ body: html }), 'unexpected_response'),
      await fails('no', ({ body }) => ({ body: withValue(body, value, undefined) }), 'unexpected_response'),
      await fails('503', () => refused, ruledClass(declared, refused) ?? 'provider_5xx'),
    )
  }
  return [...tried, ...(await streamEventCases(tested, stream, objects[0] ?? 'contacts'))]
}

const html = '<!doctype html><html><head><title>Sign in</title></head></html>'
const tokens = [secretOf('access-token'), secretOf('second-token')]

interface At {
  opened: OpenedStream
  standIn: StandIn
  /** The headers of a call with one of the tokens. */
  callHeaders: (token: number) => Record<string, string>
  /** Number of requests that lookups sent. */
  arrived: () => number
  credential: { other: Json | undefined }
}

interface Instead {
  /** Position of the lookup that has another response. */
  lookup: number
  instead: (answer: Answer) => Answer
}

/** Opens the stream of a connection by OAuth, whose access token is replaced when it is refused. */
function openAt(
  entry: ProviderEntry,
  { entry: declared, module, stream }: DeclaredStream & { entry: ProviderEntry },
  server: StandInServer,
  other?: Instead,
): At {
  const sample = sampleCredentials(declared).find(({ scheme }) => scheme === 'oauth2')
  const subject = sample && subjectsOf(declared, sample).subjects.find(ofModule(declared, module))
  if (sample === undefined || subject === undefined) throw new StandInLimit('the file has no objects')
  const state = { generation: 0, arrived: 0 }
  const credential = { other: undefined as Json | undefined }
  const live: LiveCredential = {
    async authenticate() {
      const accessToken = tokens[state.generation] ?? ''
      const attachment = attachCredential(entry.authentication, { scheme: 'oauth2', accessToken })
      return { ...attachment, ...credential.other, generation: state.generation }
    },
    refused: async (generation) => generation === state.generation++ && state.generation < tokens.length,
  }
  const lookups = routesOf(stream, subject, other, () => state.arrived++)
  const standIn: StandIn = {
    routes: () => lookups.routes,
    get placement() {
      return placementOf(sample, tokens[state.generation] ?? '')
    },
    rules: (declared.file?.errors.rules ?? []) as Json[],
    ...{ instead: other?.instead, refused: [], arrived: [] },
  }
  const connection: ConnectionContext & { credential: LiveCredential } = { ...subject.connection, credential: live }
  return {
    opened: openStream(entry, connection, server.httpTo(standIn), { now: () => now }),
    standIn,
    arrived: () => state.arrived,
    credential,
    callHeaders(token) {
      const values = { ...subject.values, ...lookups.found, accessToken: tokens[token] }
      const filled = Object.entries(stream.headers).map(([name, text]) => [name, filledText(text, values)] as const)
      return Object.fromEntries(filled.filter((pair): pair is [string, string] => pair[1] !== undefined))
    },
  }
}

function ofModule({ defaultModule }: ProviderEntry, module: string) {
  return ({ connection }: Subject) => module === '' || (connection.module ?? defaultModule ?? '') === module
}

/** The lookups as the file declares them. Later ones use what earlier ones found. */
function routesOf(
  stream: EventStream,
  { base, values, headers }: Subject,
  other: Instead | undefined,
  count: () => void,
) {
  let found: Values = {}
  const routes = (stream.lookups ?? []).map(({ name, value, ...lookup }, at) => {
    const request = declaredRequest(lookup as Json, base, { ...values, ...found })
    const body = withValue({}, value, `found-${name}`)
    found = { ...found, [name]: `found-${name}` }
    const route = fixedRoute({ ...request, headers: { ...headers, ...request.headers } }, body, at === other?.lookup)
    return {
      ...route,
      answer(url: string) {
        count()
        return route.answer(url)
      },
    }
  })
  return { routes, found }
}

/** Where a request has this access token. */
function placementOf({ placement, secrets }: SampleCredential, token: string): SampleCredential['placement'] {
  const [first = ''] = secrets
  const headers = Object.entries(placement.headers).map(([name, value]) => [name, value.replace(first, () => token)])
  return { ...placement, headers: Object.fromEntries(headers) as Record<string, string> }
}

function topicFaults(tested: EventStream, declared: EventStream, objects: readonly string[]): string[] {
  return [...objects, 'Custom__c', 'acme__Custom__c', 'custom'].flatMap((object) => {
    const found = topicOf(tested, object)
    const wanted = declaredTopic(declared, object)
    return found === wanted ? [] : [`the topic of ${object} is ${found}, not ${wanted}`]
  })
}

function declaredTopic({ topics }: EventStream, object: string): string | undefined {
  for (const { match, topic } of topics) {
    const result = match === undefined ? undefined : compilePattern(match).result(object)
    if (match === undefined || result !== undefined) return filledText(topic, { object, result })
  }
  return undefined
}

/** The headers are as declared, and each lookup is sent once for all calls. */
async function connectFaults({ opened, standIn, callHeaders, arrived }: At): Promise<string[]> {
  const signal = new AbortController().signal
  const first = await opened.headers(signal)
  await opened.headers(signal)
  const shown = [first.headers, callHeaders(0)].map((headers) => JSON.stringify(headers))
  const shows = opened.safe(`No: ${tokens[0]} ${basicHeader('', tokens[0] ?? '')}`).includes(tokens[0] ?? '')
  return [
    ...standIn.refused.map((why) => `refused: ${why}`),
    ...(shown[0] === shown[1] ? [] : [`headers ${shown[0]}, not ${shown[1]}`]),
    ...(arrived() === standIn.routes().length ? [] : [`${arrived()} requests`]),
    ...(shows ? ['a text of the provider shows the token'] : []),
  ]
}

/** A token that is refused is replaced in the next call. One that is replaced already is not refused once more. */
async function refusedFaults({ opened, standIn, callHeaders }: At): Promise<string[]> {
  const signal = new AbortController().signal
  const { generation } = await opened.headers(signal)
  const error = new ProviderError('auth_invalidated', 'The token has ended.')
  const hasOther = await opened.refused(generation, error, signal)
  const { headers } = await opened.headers(signal)
  const shown = [headers, callHeaders(1)].map((one) => JSON.stringify(one))
  const isLast = await opened.refused(generation + 1, error, signal)
  return [
    ...standIn.refused.map((why) => `refused: ${why}`),
    ...(hasOther ? [] : ['there is no other token']),
    ...(shown[0] === shown[1] ? [] : [`headers ${shown[0]}, not ${shown[1]}`]),
    ...(isLast ? ['a third token is expected'] : []),
  ]
}

/** A connection without an access token opens no stream. */
async function noOAuthFaults({ opened, credential }: At): Promise<string[]> {
  // The lookups, which would refuse it as well.
  await opened.headers(new AbortController().signal)
  credential.other = { headers: { authorization: basicHeader('user', 'password') }, query: {}, secrets: [] }
  return failedWith('bad_request', opened)
}

async function failedWith(wanted: string, opened: OpenedStream): Promise<string[]> {
  const error: unknown = await opened.headers(new AbortController().signal).then(
    ({ headers }) => `a success with ${Object.keys(headers).join()}`,
    (failure: unknown) => failure,
  )
  if (!(error instanceof ProviderError)) return [String(error)]
  return error.class === wanted ? [] : [`${error.class}, not ${wanted}: ${error.message}`]
}
