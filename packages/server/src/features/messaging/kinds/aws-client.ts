import { Readable } from 'node:stream'
import type { AwsCredentials } from './aws.ts'
import type { createCalls, HttpAnswer, HttpCall } from './http-calls.ts'

type Call = ReturnType<typeof createCalls>

/** What the clients of AWS give a request handler. */
interface AwsRequest {
  method: string
  protocol: string
  hostname: string
  port?: number
  path: string
  query?: Record<string, string | string[] | null>
  headers: Record<string, string>
  body?: Exclude<HttpCall['body'], undefined> | Uint8Array
}

/** Of one command: the calls of its `send`, and the last answer. */
interface Exchange {
  call: Call
  answer?: HttpAnswer
}

/** Sends the requests of a client by the calls of one `send`: with the address guard, its deadline and its limit. */
const requestHandler = {
  metadata: { handlerProtocol: 'http/1.1' },
  async handle(request: AwsRequest, { exchange }: { exchange: Exchange }) {
    const { method, body } = request
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !notSent.has(name.toLowerCase())),
    )
    const answer = await exchange.call({
      method: method as Exclude<HttpCall['method'], undefined>,
      url: urlOf(request),
      headers,
      ...(body !== undefined && { body: body instanceof Uint8Array ? bufferOf(body) : body }),
    })
    exchange.answer = answer
    const { status: statusCode, headers: answered } = answer
    return { response: { statusCode, headers: answered, body: Readable.from([answer.body]) } }
  },
  updateHttpClientConfig: () => undefined,
  httpHandlerConfigs: () => ({}),
  destroy: () => undefined,
}

/** Headers of clients that nothing signs: they say what the machine is, and where it runs. `outbound` sets the host. */
const notSent = new Set(['host', 'user-agent', 'x-amzn-trace-id'])

/** Without a copy. */
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)

function urlOf({ protocol, hostname, port, path, query }: AwsRequest): URL {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`)
  for (const [name, values] of Object.entries(query ?? {}))
    for (const value of [values].flat()) url.searchParams.append(name, value ?? '')
  return url
}

const ignore = () => undefined

/**
 * Configures a client of AWS. It attempts each request once, because delivery decides what is tried again. All settings
 * are here that a client otherwise reads from the environment or from files in `~/.aws`.
 */
export function awsClientConfig(url: URL, region: string, credentials: AwsCredentials) {
  const { awsKeyId, awsSecretKey, awsSessionToken } = credentials
  return {
    endpoint: url.href,
    region,
    credentials: {
      accessKeyId: awsKeyId,
      secretAccessKey: awsSecretKey,
      ...(awsSessionToken !== undefined && { sessionToken: awsSessionToken }),
    },
    maxAttempts: 1,
    defaultsMode: 'standard' as const,
    retryMode: 'standard' as const,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    accountIdEndpointMode: 'disabled' as const,
    authSchemePreference: [],
    userAgentAppId: async () => undefined,
    defaultUserAgentProvider: async () => [],
    // An answer with an impossible date would make the next requests fail.
    disableClockSkewCorrection: true,
    // Otherwise, some warnings are written to the console.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    requestHandler,
  }
}

/** The last answer, and what the client read from it: nothing, if it was an error or cannot be read. */
export interface SentToAws<Output> {
  answer: HttpAnswer
  output?: Output
}

/**
 * Sends a command of a client. What it read may have values of other types than the client says.
 *
 * @param send sends it with these options
 * @throws OutboundError if there was no answer
 */
export async function sendToAws<Output>(
  call: Call,
  send: (options: object) => Promise<Output>,
): Promise<SentToAws<Output>> {
  const exchange: Exchange = { call }
  try {
    const output = await send({ exchange })
    if (exchange.answer) return { answer: exchange.answer, output }
    throw new TypeError('The client sent no request.')
  } catch (error) {
    if (exchange.answer === undefined) throw error
    return { answer: exchange.answer }
  }
}
