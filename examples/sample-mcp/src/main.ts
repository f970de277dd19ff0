import { parseArgs } from 'node:util'
import { startSampleMcp } from './start-sample-mcp.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4201' },
    token: { type: 'string', default: 'demo-token' },
    sessions: { type: 'boolean', default: false },
    oauth: { type: 'boolean', default: false },
  },
})
const mcp = await startSampleMcp({
  port: Number(values.port),
  token: values.token,
  sessions: values.sessions,
  ...(values.oauth && { authorization: {} }),
})
const access = values.oauth ? 'authorize at its own authorization server' : `send Authorization: Bearer ${mcp.token}`
process.stdout.write(`sample MCP server on ${mcp.url}/mcp, ${access}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void mcp.close())
