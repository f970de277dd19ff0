import { agentActions } from '@mortise/manifest'
import { Type } from 'typebox'
import { Enum, endpoint, FreeForm, InvalidInput, named, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { assertAudience } from '../audience.ts'
import { approvalResultTool, availableTools, defineTools } from '../available-tools.ts'
import { calledGroup, groupQuery } from '../called-group.ts'
import type { ToolServices } from '../tool-services.ts'

const text = (description: string) => Type.String({ description })

export const ToolDefinition = named(
  'ToolDefinition',
  Type.Object(
    {
      name: text('Name of the tool: `^[a-zA-Z0-9_-]{1,64}$`.'),
      description: text('What the tool does, for the model.'),
      inputSchema: Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description: 'JSON Schema of the arguments.' }),
      readOnly: Type.Boolean({ description: 'Whether it changes nothing in the account.' }),
      needsApproval: Type.Boolean({
        description: 'Whether a person of yours approves each call, or the user of an MCP client.',
      }),
      integrationId: Type.Optional(text('Id of the integration. Absent for tools that belong to none.')),
      integrationName: Type.Optional(text('Name of the integration.')),
      objectName: Type.Optional(text('The provider’s name of the object or tool. Absent for a custom tool.')),
      action: Type.Optional(
        Enum([...agentActions, 'call'], {
          description: 'What it does with the object. `call`: a custom tool, or a tool of the provider’s MCP server.',
        }),
      ),
    },
    { description: 'A tool for agents, in the form that model APIs take.' },
  ),
)

/** No model takes as many. */
const toolsMax = 2_000

export const listTools = endpoint({
  id: 'listTools',
  method: 'GET',
  path: '/projects/{projectIdOrName}/tools',
  access: 'agent',
  summary: 'List the tools that agents have for a group.',
  description:
    'What the manifests allow under `agent`, for the installations of the group. The schemas have the fields of the connected accounts, under your names. Mortise asks the providers for them, and keeps them for half a minute. At most 2,000 tools.',
  tag: 'Tools',
  extension: true,
  params: ProjectPath,
  query: Type.Object(groupQuery),
  reply: { 200: Type.Array(ToolDefinition) },
  problems: [InvalidInput],
  run: async ({ db, query, headers, confinedTo, signal }, services: ToolServices & { publicUrl: string }) => {
    assertAudience(headers['authorization'], services.publicUrl)
    const { groupRef } = calledGroup(query, confinedTo, 'query')
    const context = { db, services, signal }
    const available = await availableTools(context, groupRef, confinedTo)
    const tools = await defineTools(context, available.slice(0, toolsMax))
    const more = tools.some(({ needsApproval }) => needsApproval) ? [approvalResultTool] : []
    return reply(
      200,
      [...tools.map(({ deletes: _, ...tool }) => tool), ...more].map((tool) => ({
        ...tool,
        inputSchema: { ...tool.inputSchema },
      })),
    )
  },
})
