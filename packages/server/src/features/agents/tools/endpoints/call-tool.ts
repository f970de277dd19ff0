import { Type } from 'typebox'
import { endpoint, FreeForm, InvalidInput, named, Path, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { assertAudience } from '../audience.ts'
import { callTool as call } from '../call-tool.ts'
import { calledGroup, groupQuery } from '../called-group.ts'
import { ToolNotFound } from '../problems.ts'
import type { ToolServices } from '../tool-services.ts'

const ToolCall = named(
  'ToolCall',
  Type.Object(
    {
      ...groupQuery,
      arguments: Type.Optional(
        Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description: 'The arguments, as the model wrote them.' }),
      ),
      agent: Type.Optional(
        Type.String({ minLength: 1, maxLength: 100, description: 'Name of the agent, for the log.' }),
      ),
    },
    { description: 'A call of a tool.' },
  ),
)

const ToolResult = named(
  'ToolResult',
  Type.Object(
    {
      isError: Type.Boolean({ description: 'Whether the call failed. `content.error` says what the agent can do.' }),
      content: Type.Unsafe<Record<string, unknown>>({
        ...FreeForm,
        description: 'What to give to the model. Content of the account is in `providerData`.',
      }),
      operationId: Type.Optional(Type.String({ description: 'The operation that logs the call.' })),
    },
    { description: 'Result of a tool.' },
  ),
)

export const callTool = endpoint({
  id: 'callTool',
  method: 'POST',
  path: '/projects/{projectIdOrName}/tools/{toolName}:call',
  access: 'agent',
  summary: 'Call a tool for an agent.',
  description:
    'Runs the tool under the rules of the manifest. An error that the agent can act on is a response of status 200 with `isError`: a refused argument, a limit, an account to connect again. Give `content` to the model in both cases.',
  tag: 'Tools',
  audit: { exempt: 'is an operation' },
  extension: true,
  params: Path({
    ...ProjectPath.properties,
    toolName: Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-zA-Z0-9_-]+$',
      description: 'Name of the tool.',
    }),
  }),
  body: ToolCall,
  bodyBytesMax: 131_072,
  fastPath: true,
  reply: { 200: ToolResult },
  problems: [InvalidInput, ToolNotFound],
  run: async (
    { db, params, body, headers, caller, confinedTo, log, signal },
    services: ToolServices & { publicUrl: string },
  ) => {
    assertAudience(headers['authorization'], services.publicUrl)
    const request = {
      name: params.toolName,
      arguments: body.arguments ?? {},
      ...calledGroup(body, confinedTo, 'body'),
      agent: body.agent,
      caller,
    }
    return reply(200, await call({ db, services, log, signal }, request))
  },
})
