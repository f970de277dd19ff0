import { Type } from 'typebox'
import { Empty, FreeForm, named, reply } from '../../../kernel/http/index.ts'
import type { Answer } from './answer-message.ts'
import { McpMessageRefused } from './problems.ts'

export const McpMessage = named(
  'McpMessage',
  Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description: 'A JSON-RPC message.' }),
)
const Refused = Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description: 'A JSON-RPC error.' })

/** Responses of the endpoints that take messages. */
export const mcpReplies = {
  200: Type.Unsafe<Record<string, unknown> | string>({ ...FreeForm, description: 'A JSON-RPC message.' }),
  202: Empty,
  400: Refused,
  404: Refused,
}

/** @throws McpMessageRefused */
export function messageReply({ status, body, headers }: Answer) {
  if (status === 202) return reply(202, null)
  if (status === 200) return reply(200, body ?? {}, headers)
  if (isError(body) && (status === 400 || status === 404)) return reply(status, body)
  throw new McpMessageRefused()
}

function isError(answer: unknown): answer is Record<string, unknown> {
  return typeof answer === 'object' && answer !== null && 'error' in answer
}
