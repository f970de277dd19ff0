import {
  callToolFor,
  type ListedTool,
  listToolsFor,
  type ToolClient,
  type ToolOptions,
  type ToolUser,
} from './agent-tools.ts'

export type { ToolClient, ToolUser } from './agent-tools.ts'

/** A tool as `generateText` and `streamText` take it. */
export interface AiSdkTool<Schema> {
  description: string
  inputSchema: Schema
  execute(input: unknown, options: { abortSignal?: AbortSignal }): Promise<Record<string, unknown>>
}

/**
 * Returns the tools of a group for the AI SDK. The model gets the content of each result, also of an error.
 *
 * @param options.jsonSchema the function of this name from `ai`
 * @throws MortiseProblem, MortiseUnreachable
 */
export async function aiSdkTools<Schema>(
  mortise: ToolClient,
  user: ToolUser,
  { jsonSchema, signal }: ToolOptions & { jsonSchema: (schema: ListedTool['inputSchema']) => Schema },
): Promise<Record<string, AiSdkTool<Schema>>> {
  const tools = await listToolsFor(mortise, user, signal && { signal })
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      {
        description,
        inputSchema: jsonSchema(inputSchema),
        async execute(args: unknown, { abortSignal }) {
          const call = { name, args }
          const { content } = await callToolFor(mortise, user, call, abortSignal && { signal: abortSignal })
          return content
        },
      } satisfies AiSdkTool<Schema>,
    ]),
  )
}
