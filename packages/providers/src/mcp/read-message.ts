import type { Readable } from 'node:stream'
import { createParser } from 'eventsource-parser'
import type { ProviderHttpResponse } from '../connector.ts'
import { isObject } from '../interpreter/path.ts'
import { notJson } from '../interpreter/unexpected-answer.ts'
import { ProviderError } from '../provider-error.ts'

/** Longest response: a list of tools, or the result of a call. */
const charactersMax = 8 * 1024 * 1024

/**
 * Returns the JSON-RPC message that answers a request, as text. It may be the body, or one of a stream of events, which
 * is closed when the message has arrived. Requests and notifications of the server in the stream are dropped: Mortise
 * offers servers neither sampling nor elicitation nor roots.
 *
 * @param id id of the request
 * @throws ProviderError, `unexpected_response`
 */
export async function readMessage(
  response: ProviderHttpResponse,
  id: unknown,
  safe: (text: string) => string,
): Promise<string> {
  const [type = ''] = (response.headers['content-type'] ?? '').toLowerCase().split(';', 1)
  const parts = response.stream ? textsOf(response.stream) : [response.body]
  if (type.trim() === 'text/event-stream') return await inEvents(parts, id)
  const body = await joined(parts)
  const message = parsed(body)
  if (type.trim() !== 'application/json' || message === undefined) throw notJson({ ...response, body }, safe)
  if (!answers(message, id)) throw unexpected('The MCP server did not answer with a JSON-RPC message for the request.')
  return body
}

async function inEvents(parts: AsyncIterable<string> | Iterable<string>, id: unknown): Promise<string> {
  let found: string | undefined
  const parser = createParser({
    onEvent({ data }) {
      if (found === undefined && answers(parsed(data), id)) found = data
    },
  })
  for await (const part of bounded(parts)) {
    parser.feed(part)
    if (found !== undefined) return found
  }
  throw unexpected('The event stream of the MCP server ended without an answer to the request.')
}

async function joined(parts: AsyncIterable<string> | Iterable<string>): Promise<string> {
  let text = ''
  for await (const part of bounded(parts)) text += part
  return text
}

async function* bounded(parts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let length = 0
  for await (const part of parts) {
    length += part.length
    if (length > charactersMax)
      throw unexpected(`The MCP server answered with more than ${charactersMax / 1024 / 1024} MB.`)
    yield part
  }
}

/** Leaving the loop destroys the stream, and with it the connection to a server that never ends it. */
async function* textsOf(stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of stream as AsyncIterable<Buffer>) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function answers(message: unknown, id: unknown): boolean {
  return isObject(message) && message['id'] === id && !Object.hasOwn(message, 'method')
}

function unexpected(message: string): ProviderError {
  return new ProviderError('unexpected_response', message)
}
