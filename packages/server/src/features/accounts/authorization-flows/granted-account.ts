import type { ProviderEntry } from '@mortise/providers'
import type { ConnectionRow } from '../connections/index.ts'
import type { StoredCredential } from '../credentials/index.ts'
import type { TokenAnswer } from '../tokens/index.ts'
import type { Flow } from './flow.ts'
import { FlowFailure } from './flow-failure.ts'

/** The account that a person granted access to, as its connection stores it. */
export interface GrantedAccount {
  credential: StoredCredential
  providerWorkspaceRef: string | undefined
  providerConsumerRef: string | undefined
  providerMetadata: Record<string, unknown> | undefined
}

/**
 * Merges the requested account with what the provider returned. A workspace that the request named is kept, because it
 * fills templates.
 */
export function grantedAccount(
  { workspaceRef, providerMetadata, server, client, scopes: asked }: Flow,
  { accessToken, refreshToken, scopes: answered, ...answer }: TokenAnswer,
): GrantedAccount {
  // RFC 6749, 5.1: a server that does not name the scopes has granted the requested ones.
  const scopes = answered ?? (asked && asked.length > 0 ? asked : undefined)
  const learnt = Object.entries(answer.metadata).filter(([, { value }]) => storable(value))
  return {
    credential: {
      scheme: 'oauth2',
      accessToken,
      ...(refreshToken && { refreshToken }),
      ...(scopes && { scopes }),
      ...(server && { server }),
      ...(client && { client }),
    },
    providerWorkspaceRef: workspaceRef ?? storable(answer.workspaceRef, refCharactersMax),
    providerConsumerRef: storable(answer.consumerRef),
    providerMetadata: learnt.length > 0 ? { ...providerMetadata, ...Object.fromEntries(learnt) } : providerMetadata,
  }
}

/** The refs share an index entry, whose size PostgreSQL limits. */
const refCharactersMax = 200

/** Returns the text if a row can store it; PostgreSQL accepts neither NUL nor half a surrogate pair. */
function storable(text: string | undefined, charactersMax = 2_000): string | undefined {
  if (text === undefined || text.length > charactersMax) return undefined
  return text.isWellFormed() && !text.includes('\0') ? text : undefined
}

/**
 * Checks that a reauthorized connection still belongs to the same account, because its reads continue where they were.
 * Compares the workspace if the provider returns one. A workspace that the customer named is the address of the sign-in
 * itself, so it needs no check. Without a workspace, the person identifies the account.
 *
 * @throws FlowFailure
 */
export function assertSameAccount(
  entry: ProviderEntry,
  known: Pick<ConnectionRow, 'provider_workspace_ref' | 'provider_consumer_ref'>,
  answer: Pick<TokenAnswer, 'workspaceRef' | 'consumerRef'>,
): void {
  const isNamed = entry.inputs.some(({ name }) => name === 'workspace')
  const differs = (before: string | null, now: string | undefined) =>
    before !== null && now !== undefined && before !== now
  const isOther =
    known.provider_workspace_ref !== null
      ? !isNamed && differs(known.provider_workspace_ref, answer.workspaceRef)
      : differs(known.provider_consumer_ref, answer.consumerRef)
  if (isOther)
    throw new FlowFailure(
      'other_account',
      `You signed in to a different ${entry.displayName} account than the connected one. Nothing was changed. Sign in to the connected account and try again.`,
    )
}
