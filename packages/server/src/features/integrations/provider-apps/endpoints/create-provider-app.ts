import type { Catalogue } from '@mortise/providers'
import type { NewId } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import {
  endpoint,
  InvalidInput,
  type Issue,
  ProjectPath,
  reply,
  UnacceptableInput,
} from '../../../../kernel/http/index.ts'
import { encryptClientSecret } from '../client-secret.ts'
import { flatScopes, NewProviderApp, ProviderApp, providerAppResource } from '../model.ts'
import { clientIdIssues, hostIssues, paramIssues, providerIssues } from '../provider-rules.ts'
import { withoutSecrets } from '../secret-params.ts'
import { insertProviderApp } from '../store.ts'
import { webhookUrls } from '../webhook-urls.ts'

export const createProviderApp = endpoint({
  id: 'createProviderApp',
  method: 'POST',
  path: '/projects/{projectIdOrName}/provider-apps',
  access: 'develop',
  summary: 'Store an app that you registered at a provider.',
  description: 'The client secret, and secrets in `providerParams`, are encrypted and never shown again.',
  tag: 'Provider apps',
  params: ProjectPath,
  body: NewProviderApp,
  reply: { 200: ProviderApp },
  problems: [InvalidInput, UnacceptableInput],
  moreIssues: furtherIssues,
  run: async ({ db, body }, services: { catalogue: Catalogue; keyring: Keyring; newId: NewId; publicUrl: string }) => {
    const { catalogue, keyring, newId } = services
    const { provider, clientId, clientSecret, externalRef, metadata } = body
    const scopes = body.scopes && flatScopes(body.scopes)
    const issues = [
      ...providerIssues(catalogue, { provider, scopes: scopes ?? [] }),
      ...clientIdIssues(catalogue, provider, clientId),
      ...paramIssues(catalogue, provider, metadata?.providerParams ?? {}),
      ...hostIssues(body.allowedHosts),
    ]
    if (issues.length > 0) throw new UnacceptableInput({ issues })
    const id = newId()
    const app = { project_id: db.projectId, id, provider, encrypted_params: null }
    const row = await insertProviderApp(db, id, {
      provider,
      clientId,
      encryptedSecret: encryptClientSecret(keyring, db.projectId, id, clientSecret),
      externalRef: externalRef || null,
      scopes: scopes ?? null,
      allowedHosts: body.allowedHosts ?? null,
      ...withoutSecrets(services, app, metadata ?? null),
    })
    const urls = await webhookUrls(db, services, [row.provider])
    return reply(200, providerAppResource(row, urls.get(row.provider)))
  },
})

/** Checks the provider together with the schema, as far as its name and the scopes are valid. */
function furtherIssues(body: unknown, known: readonly Issue[], { catalogue }: { catalogue: Catalogue }): Issue[] {
  const {
    provider,
    clientId,
    scopes = [],
    metadata,
  } = (body ?? {}) as Record<'provider' | 'clientId' | 'scopes' | 'metadata', unknown>
  if (typeof provider !== 'string' || provider === '' || known.some(({ name }) => name === 'provider')) return []
  const isSound = Array.isArray(scopes) && !known.some(({ name }) => /^scopes\b/.test(name))
  const { providerParams = {} } = (metadata ?? {}) as { providerParams?: Record<string, string> }
  const hasParams = !known.some(({ name }) => /^metadata\b/.test(name ?? ''))
  return [
    ...providerIssues(catalogue, { provider, scopes: isSound ? flatScopes(scopes) : ['unknown'] }),
    ...(typeof clientId === 'string' ? clientIdIssues(catalogue, provider, clientId) : []),
    ...(hasParams ? paramIssues(catalogue, provider, providerParams) : []),
  ]
}
