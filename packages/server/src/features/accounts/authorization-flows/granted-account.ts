import type { ProviderEntry } from '@mortise/providers'
import type { ConnectionRow } from '../connections/index.ts'
import type { StoredCredential } from '../credentials/index.ts'
import type { TokenAnswer } from '../tokens/index.ts'
import type { Flow } from './flow.ts'
import { FlowFailure } from './flow-failure.ts'

/** The account that a person granted access to, as its connection keeps it. */
export interface GrantedAccount {
  credential: StoredCredential
  providerWorkspaceRef: string | undefined
  providerConsumerRef: string | undefined
  providerMetadata: Record<string, unknown> | undefined
}

/**
 * What was asked for, completed by what the provider told. A workspace that was named stays: templates are filled with
 * it.
 */
export function grantedAccount(
  { workspaceRef, providerMetadata }: Pick<Flow, 'workspaceRef' | 'providerMetadata'>,
  { accessToken, refreshToken, scopes, ...told }: TokenAnswer,
): GrantedAccount {
  const learnt = Object.entries(told.metadata).filter(([, { value }]) => storable(value))
  return {
    credential: {
      scheme: 'oauth2',
      accessToken,
      ...(refreshToken && { refreshToken }),
      ...(scopes && { scopes }),
    },
    providerWorkspaceRef: workspaceRef ?? storable(told.workspaceRef, refCharactersMax),
    providerConsumerRef: storable(told.consumerRef),
    providerMetadata: learnt.length > 0 ? { ...providerMetadata, ...Object.fromEntries(learnt) } : providerMetadata,
  }
}

/** Refs stand together in one index entry, which PostgreSQL limits. */
const refCharactersMax = 200

/** A text of a provider that a row can hold; PostgreSQL takes neither NUL nor half a surrogate pair. */
function storable(text: string | undefined, charactersMax = 2_000): string | undefined {
  if (text === undefined || text.length > charactersMax) return undefined
  return text.isWellFormed() && !text.includes('\0') ? text : undefined
}

/**
 * A connection that is authorised again must be to the account that it was to: what reads from it goes on where it
 * stood. The workspace tells where the provider names it; one that the customer named is the address that was just
 * signed in at. Where there is no workspace, the person is the account.
 *
 * @throws FlowFailure
 */
export function assertSameAccount(
  entry: ProviderEntry,
  known: Pick<ConnectionRow, 'provider_workspace_ref' | 'provider_consumer_ref'>,
  told: Pick<TokenAnswer, 'workspaceRef' | 'consumerRef'>,
): void {
  const isNamed = entry.inputs.some(({ name }) => name === 'workspace')
  const differs = (before: string | null, now: string | undefined) =>
    before !== null && now !== undefined && before !== now
  const isOther =
    known.provider_workspace_ref !== null
      ? !isNamed && differs(known.provider_workspace_ref, told.workspaceRef)
      : differs(known.provider_consumer_ref, told.consumerRef)
  if (isOther)
    throw new FlowFailure(
      'other_account',
      `You signed in to a different ${entry.displayName} account than the connected one. Nothing was changed. Sign in to the connected account and try again.`,
    )
}
