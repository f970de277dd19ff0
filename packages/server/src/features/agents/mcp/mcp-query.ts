import { Type } from 'typebox'
import { groupQuery } from '../tools/index.ts'

/** Which group a client of the protocol works for, and who it says that it is. */
export const McpQuery = Type.Object({
  ...groupQuery,
  agent: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Name of the agent, for the log.' })),
})
