import type { Catalogue } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { InvalidInput } from '../../../kernel/http/index.ts'
import { findProviderApp } from '../../integrations/provider-apps/index.ts'
import { entryOfConnection, metadataValues, type NewConnection } from '../connection-inputs/index.ts'
import { clientHostIssues, oauth2Scheme } from '../tokens/index.ts'

/**
 * Tokens that were imported are renewed with the secret of the provider app.
 * @throws InvalidInput naming values that lead it elsewhere
 */
export async function assertTokenHost(
  db: ProjectDb,
  { catalogue }: { catalogue: Catalogue },
  { provider, schemeName, credential, providerMetadata, providerWorkspaceRef }: NewConnection,
): Promise<void> {
  if (credential.scheme !== 'oauth2' || credential.grant || !credential.refreshToken) return
  const entry = entryOfConnection(catalogue, { provider, scheme_name: schemeName ?? null })
  const scheme = entry && oauth2Scheme(entry)
  if (!scheme) return
  const app = await findProviderApp(db, { provider })
  const values = {
    metadata: metadataValues(providerMetadata),
    ...(providerWorkspaceRef !== undefined && { workspaceRef: providerWorkspaceRef }),
  }
  const issues = clientHostIssues(entry, scheme, values, app?.allowed_hosts ?? [])
  if (issues.length > 0) throw new InvalidInput({ issues })
}
