import { capturedText, readPath } from '@mortise/providers'
import type { OAuth2Scheme } from './oauth2-scheme.ts'
import type { TokenAnswer } from './token-request.ts'

type Captured = { path: string; capture?: string }

/** What the provider's file wants to be kept of a token answer besides the tokens. */
export function tokenMetadata(
  { tokenMetadataFields: fields = {} }: OAuth2Scheme,
  answer: Record<string, unknown>,
): Pick<TokenAnswer, 'scopes' | 'workspaceRef' | 'consumerRef' | 'metadata'> {
  const metadata: TokenAnswer['metadata'] = {}
  for (const { name, displayName, ...where } of fields.others ?? []) {
    const value = capturedText(answer, where)
    if (value !== undefined) metadata[name] = { value, source: 'token', ...(displayName && { displayName }) }
  }
  const workspaceRef = fields.workspaceRef && capturedText(answer, captured(fields.workspaceRef))
  const consumerRef = fields.consumerRef && capturedText(answer, captured(fields.consumerRef))
  const scopes = scopesAt(answer, fields.scopes ?? 'scope')
  return {
    ...(workspaceRef !== undefined && { workspaceRef }),
    ...(consumerRef !== undefined && { consumerRef }),
    ...(scopes && { scopes }),
    metadata,
  }
}

function captured(where: string | Captured): Captured {
  return typeof where === 'string' ? { path: where } : where
}

/** A list, or a text with blanks (RFC 6749, 3.3) or commas (GitHub, Slack). */
function scopesAt(answer: Record<string, unknown>, where: string | Captured): string[] | undefined {
  const value = readPath(answer, captured(where).path)
  const texts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[\s,]+/) : []
  const scopes = texts.filter((one): one is string => typeof one === 'string' && one !== '').slice(0, 1_000)
  return scopes.length > 0 ? [...new Set(scopes)] : undefined
}
