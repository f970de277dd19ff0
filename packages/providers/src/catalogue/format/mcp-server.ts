import { type Static, Type } from 'typebox'
import { strict, template } from './vocabulary.ts'

export const McpServer = Type.Object(
  {
    path: Type.Optional(
      template('Path of the server below the base URL, such as `/mcp`. Default: the base URL itself.'),
    ),
  },
  {
    ...strict,
    description: 'The provider’s MCP server (Streamable HTTP). Agents get those of its tools that a manifest allows.',
  },
)
export type McpServer = Static<typeof McpServer>
