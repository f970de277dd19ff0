import type { TokenAnswer } from '../tokens/index.ts'
import type { CodeGrant } from './code-grant.ts'

/**
 * Returns the token response with the account fields of the redirect added. Values from the token endpoint take
 * precedence.
 */
export function withRedirectFields(
  answer: TokenAnswer,
  declared: CodeGrant['redirectFields'],
  parameters: Readonly<Record<string, string>> = {},
): TokenAnswer {
  if (declared === undefined) return answer
  const valueIn = (parameter: string) => (Object.hasOwn(parameters, parameter) ? parameters[parameter] : undefined)
  const metadata: TokenAnswer['metadata'] = {}
  for (const { name, displayName, parameter } of declared.others ?? []) {
    const value = valueIn(parameter)
    if (value !== undefined) metadata[name] = { value, source: 'token', ...(displayName && { displayName }) }
  }
  const workspaceRef =
    answer.workspaceRef ?? (declared.workspaceRef === undefined ? undefined : valueIn(declared.workspaceRef))
  return {
    ...answer,
    ...(workspaceRef !== undefined && { workspaceRef }),
    metadata: { ...metadata, ...answer.metadata },
  }
}
