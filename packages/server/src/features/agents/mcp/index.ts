import { getMcpStream } from './endpoints/get-mcp-stream.ts'
import { sendMcpMessage } from './endpoints/send-mcp-message.ts'

export { answerMessage } from './answer-message.ts'
export { loadLibrary } from './library.ts'
export { McpMessage, mcpReplies, messageReply } from './message-reply.ts'
export { assertOrigin } from './origin.ts'
export { McpMessageRefused, OriginRefused } from './problems.ts'

export const mcpEndpoints = [sendMcpMessage, getMcpStream]
