import type { AgentIntegration } from '@mortise/manifest'

/** Returns the provider's names of the tools that an integration allows. */
export function providerToolNames({ providerTools = [] }: AgentIntegration): string[] {
  return providerTools.map(({ toolName }) => toolName)
}
