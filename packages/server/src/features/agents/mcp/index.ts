import { getMcpStream } from './endpoints/get-mcp-stream.ts'
import { sendMcpMessage } from './endpoints/send-mcp-message.ts'

export const mcpEndpoints = [sendMcpMessage, getMcpStream]
