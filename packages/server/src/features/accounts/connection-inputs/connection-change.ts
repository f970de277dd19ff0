import type { Issue } from '../../../kernel/http/index.ts'
import type { StoredCredential } from '../credentials/index.ts'
import { machineGrantOf } from './machine-grant.ts'
import { normalizeMetadata } from './provider-metadata.ts'
import type { UpdateConnectionRequest } from './requests.ts'
import type { AuthScheme } from './schemes.ts'

/** The changes that an update requests. Absent fields stay as they are. */
export interface ConnectionChange {
  /** An undefined `ref` removes the workspace. */
  workspace?: { ref: string | undefined }
  /** The complete new metadata. */
  providerMetadata?: Record<string, unknown>
  credential?: StoredCredential
}

type Mask = keyof UpdateConnectionRequest['connection']

/** The credential that a mask path replaces. */
const credentialMasks: Partial<Record<Mask, { authScheme: AuthScheme; stored: StoredCredential['scheme'] }>> = {
  apiKey: { authScheme: 'apiKey', stored: 'apiKey' },
  basicAuth: { authScheme: 'basic', stored: 'basic' },
  oauth2ClientCredentials: { authScheme: 'oauth2/clientCredentials', stored: 'oauth2' },
  oauth2PasswordCredentials: { authScheme: 'oauth2/password', stored: 'oauth2' },
}

const masks: readonly string[] = [
  'providerWorkspaceRef',
  'providerMetadata',
  'apiKey',
  'basicAuth',
  'oauth2ClientCredentials',
  'oauth2PasswordCredentials',
] satisfies Mask[]

/**
 * Applies an update mask (contract 3.16, 3.7). Every path must be one of six and have its value in the body. A
 * credential must be of the connection's kind. Values that no path names are ignored.
 */
export function maskedChange(
  { updateMask, connection }: UpdateConnectionRequest,
  current: { authScheme: AuthScheme; credential: StoredCredential },
): { change: ConnectionChange } | { issues: Issue[] } {
  const change: ConnectionChange = {}
  const issues: Issue[] = []
  for (const [index, path] of updateMask.entries()) {
    const fault = applyPath(change, path, connection, current)
    if (fault) issues.push({ in: 'body', name: `updateMask[${index}]`, value: path, ...fault })
  }
  return issues.length > 0 ? { issues } : { change }
}

function applyPath(
  change: ConnectionChange,
  path: string,
  input: UpdateConnectionRequest['connection'],
  current: { authScheme: AuthScheme; credential: StoredCredential },
): Pick<Issue, 'detail' | 'remedy'> | undefined {
  if (!masks.includes(path))
    return { detail: `There is no such path: ${path}.`, remedy: `Use one of ${masks.join(', ')}.` }
  const mask = path as Mask
  const fits = credentialMasks[mask]
  if (fits && (fits.authScheme !== current.authScheme || fits.stored !== current.credential.scheme))
    return {
      detail: `The connection does not authenticate by ${mask}: its authScheme is ${current.authScheme}.`,
      remedy: 'Connect the account again with connections:generate to authenticate in another way.',
    }
  switch (mask) {
    case 'providerWorkspaceRef':
      if (input.providerWorkspaceRef === undefined) return noValue(mask)
      change.workspace = { ref: input.providerWorkspaceRef || undefined }
      return undefined
    case 'providerMetadata': {
      const metadata = normalizeMetadata(input.providerMetadata)
      if (metadata === undefined) return noValue(mask)
      change.providerMetadata = metadata
      return undefined
    }
    case 'apiKey': {
      const apiKey = input.apiKey?.trim()
      if (!apiKey) return noValue(mask)
      change.credential = { scheme: 'apiKey', apiKey }
      return undefined
    }
    case 'basicAuth': {
      const { username = '', password = '' } = input.basicAuth ?? {}
      if (username === '' && password === '') return noValue(mask)
      change.credential = { scheme: 'basic', username, password }
      return undefined
    }
    case 'oauth2ClientCredentials':
    case 'oauth2PasswordCredentials': {
      if (!input[mask]?.clientId) return noValue(mask)
      const kind = mask === 'oauth2ClientCredentials' ? 'clientCredentials' : 'password'
      // Drops the tokens of the old grant. The next request gets new ones.
      change.credential = { scheme: 'oauth2', grant: machineGrantOf(kind, input) }
      return undefined
    }
  }
}

function noValue(mask: Mask): Pick<Issue, 'detail' | 'remedy'> {
  return {
    detail: `The mask names ${mask}, but the connection in the body has no value there.`,
    remedy: `Send connection.${mask}, or take it out of the mask.`,
  }
}
