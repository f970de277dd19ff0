import type { TokenAnswer } from '../tokens/index.ts'
import type { CodeGrant } from './code-grant.ts'

/**
 * Returns the token response with the account fields of the redirect added. Values from the token endpoint take
 * precedence.
 */
export function withRedirectFields(
  answer: TokenAnswer,
  declared: CodeGrant['redirectFields'],
  told: Readonly<Record<string, string>> = {},
): TokenAnswer {
  if (declared === undefined) return answer
  const toldIn = (parameter: string) => (Object.hasOwn(told, parameter) ? told[parameter] : undefined)
  const metadata: TokenAnswer['metadata'] = {}
  for (const { name, displayName, parameter } of declared.others ?? []) {
    const value = toldIn(parameter)
    if (value !== undefined) metadata[name] = { value, source: 'token', ...(displayName && { displayName }) }
  }
  const workspaceRef =
    answer.workspaceRef ?? (declared.workspaceRef === undefined ? undefined : toldIn(declared.workspaceRef))
  return {
    ...answer,
    ...(workspaceRef !== undefined && { workspaceRef }),
    metadata: { ...metadata, ...answer.metadata },
  }
}
