import { readPath } from '@mortise/providers'
import type { OAuth2Scheme } from './oauth2-scheme.ts'
import type { TokenAnswer } from './request-tokens.ts'

type Captured = { path: string; capture?: string }

/** Longer values name nothing, and the expressions of provider files are to have little to chew on. */
const valueCharactersMax = 2_000

/** What the provider's file wants to be kept of a token answer besides the tokens. */
export function tokenMetadata(
  { tokenMetadataFields: fields = {} }: OAuth2Scheme,
  answer: Record<string, unknown>,
): Pick<TokenAnswer, 'scopes' | 'workspaceRef' | 'consumerRef' | 'metadata'> {
  const metadata: TokenAnswer['metadata'] = {}
  for (const { name, displayName, ...where } of fields.others ?? []) {
    const value = textAt(answer, where)
    if (value !== undefined) metadata[name] = { value, source: 'token', ...(displayName && { displayName }) }
  }
  const workspaceRef = textAt(answer, fields.workspaceRef)
  const consumerRef = textAt(answer, fields.consumerRef)
  const scopes = scopesAt(answer, fields.scopes ?? 'scope')
  return {
    ...(workspaceRef !== undefined && { workspaceRef }),
    ...(consumerRef !== undefined && { consumerRef }),
    ...(scopes && { scopes }),
    metadata,
  }
}

function textAt(answer: Record<string, unknown>, where: string | Captured | undefined): string | undefined {
  if (where === undefined) return undefined
  const { path, capture } = typeof where === 'string' ? { path: where } : where
  const value = readPath(answer, path)
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  const text = isPlain ? String(value) : ''
  if (text === '' || text.length > valueCharactersMax) return undefined
  if (capture === undefined) return text
  return new RegExp(capture, 'u').exec(text)?.groups?.['result'] || undefined
}

/** A list, or a text with blanks (RFC 6749, 3.3) or commas (GitHub, Slack). */
function scopesAt(answer: Record<string, unknown>, where: string | Captured): string[] | undefined {
  const value = readPath(answer, typeof where === 'string' ? where : where.path)
  const texts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[\s,]+/) : []
  const scopes = texts.filter((one): one is string => typeof one === 'string' && one !== '').slice(0, 1_000)
  return scopes.length > 0 ? [...new Set(scopes)] : undefined
}
