import type { StoredCredential } from '../credentials/index.ts'
import type { AuthScheme } from './schemes.ts'

/**
 * Which account a connection is to. Two connections of one project never share it; an absent workspace equals an absent
 * one.
 */
export interface ConnectionIdentity {
  provider: string
  groupRef: string
  consumerRef: string
  providerWorkspaceRef: string | undefined
}

export interface ConnectionValues {
  authScheme: AuthScheme
  /** Which of the provider's schemes it is; undefined for a key that fits none. */
  schemeName: string | undefined
  providerMetadata: Record<string, unknown> | undefined
  /** The app that its tokens were issued to. */
  providerAppId?: string | undefined
  /** What the provider calls the person. */
  providerConsumerRef?: string | undefined
}

/** A connection to create or to reconnect, however its credential was obtained. */
export interface NewConnection extends ConnectionIdentity, ConnectionValues {
  groupName: string | undefined
  consumerName: string | undefined
  credential: StoredCredential
}
