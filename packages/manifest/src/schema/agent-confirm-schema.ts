import { agentConfirmations } from '../agent-tool.ts'
import type { JsonSchema } from './json-schema.ts'

/** Who confirms calls, for editors. */
export const confirmation = (description: string): JsonSchema => ({ enum: agentConfirmations, description })

export const confirm = confirmation(
  '`approval`: a person of yours must approve each call. `user`: the user of the MCP client confirms it, and without one a person of yours.',
)
