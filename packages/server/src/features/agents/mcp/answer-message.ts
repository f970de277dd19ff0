import { Readable } from 'node:stream'
import type { JSONRPCRequest, Server } from '@modelcontextprotocol/server'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { eventStreamHeaders, eventStreamType } from '../../../kernel/http/index.ts'
import type { PubSub } from '../../../kernel/pubsub/index.ts'
import type { Library } from './library.ts'
import { OneAnswer } from './one-answer.ts'
import { followTools } from './tool-changes.ts'

export interface Asked {
  url: URL
  headers: Record<string, string | string[] | undefined>
  message: Record<string, unknown>
}

export interface Answer {
  status: number
  body: Record<string, unknown> | Readable | null
  headers?: Record<string, string>
}

interface Following {
  pubsub: PubSub
  db: ProjectDb
  groupRef: string
  /** Ends a stream. */
  streamSignal: () => AbortSignal
}

interface Serving {
  library: Library
  /** Makes the server of this message. `mayAsk`: whether its revision has questions to users. */
  serve: (mayAsk: boolean) => Server
  /** What streams follow; undefined for a server whose tools do not change. */
  follow?: Following
}

/** Answers a message of any revision of the protocol that the library knows. Keeps nothing between messages. */
export async function answerMessage(serving: Serving, asked: Asked): Promise<Answer> {
  const { library } = serving
  const init = { method: 'POST', headers: headersOf(asked.headers) }
  // Not read: the message is parsed already.
  const request = new Request(asked.url, init)
  if (await library.isLegacyRequest(request, asked.message))
    return isUsualRequest(library, asked)
      ? await answerRequest(serving, request, asked.message)
      : await answerInitialized(serving, request, asked.message)
  const { follow } = serving
  if (follow && asked.message['method'] === 'subscriptions/listen')
    return await answerListening(serving, follow, asked, init)
  const handler = library.createMcpHandler(() => serving.serve(true), {
    legacy: 'reject',
    ...(!follow && { maxSubscriptions: 0 }),
  })
  return await wholeAnswer(await handler.fetch(request, { parsedBody: asked.message }))
}

/** Whether the library's transport would only pass a message on: a request after initializing, of a known revision. */
function isUsualRequest({ isInitializeRequest, isJSONRPCRequest, SUPPORTED_PROTOCOL_VERSIONS }: Library, asked: Asked) {
  const { 'mcp-protocol-version': version } = asked.headers
  return (
    (version === undefined || (typeof version === 'string' && SUPPORTED_PROTOCOL_VERSIONS.includes(version))) &&
    isJSONRPCRequest(asked.message) &&
    !isInitializeRequest(asked.message)
  )
}

/** As `answerInitialized`, without a response of the Fetch API in between, which costs as much as a call of a tool. */
async function answerRequest({ serve }: Serving, request: Request, message: object): Promise<Answer> {
  const transport = new OneAnswer()
  await serve(false).connect(transport)
  transport.onmessage?.(message as JSONRPCRequest, { request })
  return { status: 200, body: { ...(await transport.answer) } }
}

/** Revisions before 2026-07-28, in which a client initializes before other messages. */
async function answerInitialized({ library, serve }: Serving, request: Request, message: object): Promise<Answer> {
  // Without sessions, a server cannot send a request on a stream and wait for the answer.
  const server = serve(false)
  const transport = new library.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  try {
    await server.connect(transport)
    return await wholeAnswer(await transport.handleRequest(request, { parsedBody: message }))
  } finally {
    await server.close()
  }
}

/** Opens a stream of notifications, which ends with the connection or the access of the caller. */
async function answerListening(
  { library, serve }: Serving,
  { pubsub, db, groupRef, streamSignal }: Following,
  { url, message }: Asked,
  init: RequestInit,
): Promise<Answer> {
  const changed = () => {
    handler.notify.toolsChanged()
    handler.notify.resourcesChanged()
  }
  const unfollow = await followTools(pubsub, db, { groupRef, changed })
  const handler = library.createMcpHandler(() => serve(false), {
    legacy: 'reject',
    // Refuses the stream in the words of the protocol.
    ...(unfollow === undefined && { maxSubscriptions: 0 }),
  })
  const signal = streamSignal()
  const end = () => {
    unfollow?.()
    void handler.close()
  }
  const response = await handler.fetch(new Request(url, { ...init, signal }), { parsedBody: message })
  const isStream = response.headers.get('content-type')?.startsWith(eventStreamType) === true
  if (!isStream || !response.body) {
    end()
    return await wholeAnswer(response)
  }
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return {
    status: 200,
    body: Readable.fromWeb(response.body),
    headers: { ...eventStreamHeaders, 'content-type': eventStreamType },
  }
}

async function wholeAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as Record<string, unknown>) }
}

/** Returns what the library reads. Every response but a stream is JSON, so a client need not accept streams. */
function headersOf(headers: Asked['headers']): [string, string][] {
  return [
    ['accept', `application/json, ${eventStreamType}`],
    ['content-type', 'application/json'],
    ...Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      name.startsWith('mcp-') && typeof value === 'string' ? [[name, value]] : [],
    ),
  ]
}
