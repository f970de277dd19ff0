import type { TokenAnswer } from '../tokens/index.ts'
import type { CodeGrant } from './code-grant.ts'

/**
 * A token answer with what the provider told of the account beside the code. What the token endpoint says itself counts
 * more.
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
