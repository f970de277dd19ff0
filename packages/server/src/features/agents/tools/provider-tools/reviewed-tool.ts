import { type AgentProviderTool, type ToolSchema, toolTypeOf } from '@mortise/manifest'
import type { ProviderTool } from '@mortise/providers'
import { isSameBytes } from '../../../../kernel/encryption/index.ts'
import { safeText } from '../safe-text.ts'
import { ToolError } from '../tool-error.ts'
import { foreignSchema } from './foreign-schema.ts'

/** A tool of a provider as agents see it: with the definition that the builder has read, under the builder's rules. */
export interface ReviewedTool {
  description: string
  schema: ToolSchema
}

const descriptionMax = 1_000

/**
 * Applies the rules of the manifest to a tool as the server defines it now.
 *
 * @throws ToolError if the definition is not the one that the builder has read, or rules do not fit it
 */
export function reviewedTool(
  rules: AgentProviderTool,
  listed: readonly ProviderTool[],
  provider: string,
): ReviewedTool {
  const defined = listed.filter(({ name }) => name === rules.toolName)
  const [tool] = defined
  if (!tool || defined.length > 1)
    throw unavailable(`${provider} ${tool ? 'has several tools' : 'has no tool'} of this name any more.`)
  if (tool.fault !== undefined) throw unavailable(`The definition of the tool cannot be used. ${tool.fault}`)
  if (!isSameBytes(Buffer.from(tool.digest), Buffer.from(rules.digest)))
    throw new ToolError({
      code: 'tool_changed',
      message: `${provider} has changed this tool since it was reviewed. Do not call it again until the application allows the new definition.`,
    })
  const schema = foreignSchema(tool.inputSchema)
  if (!schema) throw unavailable('The schema of the tool is too large, or requires an argument that cannot be named.')
  return { description: descriptionOf(rules, tool, provider), schema: ruled(rules, schema) }
}

/** Words of a provider could speak to the model: they are marked as such. */
function descriptionOf({ description }: AgentProviderTool, tool: ProviderTool, provider: string): string {
  const own = description === undefined ? undefined : safeText(description, descriptionMax)
  if (own !== undefined) return own
  const words = tool.description === undefined ? undefined : safeText(tool.description, descriptionMax)
  const name = safeText(provider) ?? 'the provider'
  return words === undefined ? '' : `${name} describes it as: “${words}”`
}

/** Returns the schema without the arguments that agents cannot send. @throws ToolError for a rule that does not fit */
function ruled({ arguments: rules = [] }: AgentProviderTool, schema: ToolSchema): ToolSchema {
  const properties = new Map(Object.entries(schema.properties ?? {}))
  const required = new Set(schema.required)
  for (const { argumentName, value, values } of rules) {
    const property = properties.get(argumentName)
    if (!property) throw unavailable(`A rule names the argument ${argumentName}, which the tool does not have.`)
    if (values === undefined) {
      if (value === undefined && required.has(argumentName))
        throw unavailable(`A rule hides the argument ${argumentName}, which the tool requires.`)
      properties.delete(argumentName)
      required.delete(argumentName)
    } else if (toolTypeOf(property) === 'string')
      properties.set(argumentName, { ...property, type: 'string', enum: [...values] })
  }
  const { required: _, ...rest } = schema
  return {
    ...rest,
    properties: Object.fromEntries(properties),
    ...(required.size > 0 && { required: [...required] }),
  }
}

function unavailable(message: string): ToolError {
  return new ToolError({ code: 'not_possible', message })
}
