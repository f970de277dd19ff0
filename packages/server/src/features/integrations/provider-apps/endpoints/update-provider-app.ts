import type { Catalogue } from '@mortise/providers'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, InvalidInput, type Issue, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { appRedirectIssues } from '../app-redirects.ts'
import { encryptClientSecret } from '../client-secret.ts'
import {
  flatScopes,
  masks,
  ProviderApp,
  type ProviderAppRow,
  providerAppResource,
  UpdateProviderAppRequest,
} from '../model.ts'
import { ProviderAppNotFound } from '../problems.ts'
import { clientIdIssues, hostIssues, paramIssues, providerIssues } from '../provider-rules.ts'
import { allParams, withoutSecrets } from '../secret-params.ts'
import { isProviderAppUsed, lockProviderApp, type ProviderAppValues, updateProviderAppRow } from '../store.ts'
import { webhookUrls } from '../webhook-urls.ts'

export const updateProviderApp = endpoint({
  id: 'updateProviderApp',
  method: 'PATCH',
  path: '/projects/{projectIdOrName}/provider-apps/{providerAppId}',
  access: 'develop',
  summary: 'Change a provider app.',
  description:
    '`updateMask` names what is changed; values that it does not name are ignored. Another `provider`, and further `allowedHosts`, would get the client secret: send it again with them.',
  tag: 'Provider apps',
  params: Path({ ...ProjectPath.properties, providerAppId: Ref }),
  body: UpdateProviderAppRequest,
  reply: { 200: ProviderApp },
  problems: [InvalidInput, ProviderAppNotFound],
  run: async ({ db, params, body }, services: { catalogue: Catalogue; keyring: Keyring; publicUrl: string }) =>
    await db.transaction(async (tx) => {
      const row = await lockProviderApp(tx, params.providerAppId)
      if (!row) throw new ProviderAppNotFound()
      const issues = body.updateMask.flatMap((mask, index) => maskIssues(mask, index, body.providerApp))
      if (body.updateMask.includes('allowedHosts'))
        issues.push(...hostIssues(body.providerApp.allowedHosts, 'providerApp.'))
      const values = changed(row, body, services)
      if (values.provider !== row.provider || body.updateMask.includes('scopes')) {
        const { provider, scopes } = values
        issues.push(...providerIssues(services.catalogue, { provider, scopes: scopes ?? [] }, 'providerApp.'))
      }
      if (values.provider !== row.provider || body.updateMask.includes('clientId'))
        issues.push(...clientIdIssues(services.catalogue, values.provider, values.clientId, 'providerApp.'))
      if (values.provider !== row.provider || body.updateMask.includes('metadata')) {
        const app = { ...row, metadata: values.metadata, encrypted_params: values.encryptedParams }
        issues.push(
          ...paramIssues(services.catalogue, values.provider, allParams(services.keyring, app), 'providerApp.'),
        )
      }
      if (values.provider !== row.provider && (await isProviderAppUsed(tx, row.id)))
        issues.push({
          in: 'body',
          name: 'providerApp.provider',
          detail: 'Connections were made through this app; it cannot become one of another provider.',
          remedy: 'Create another provider app.',
        })
      const after = { provider: values.provider, allowed_hosts: values.allowedHosts }
      issues.push(...appRedirectIssues(row, after, { hasSecret: body.updateMask.includes('clientSecret') }))
      if (issues.length > 0) throw new InvalidInput({ issues })
      const urls = await webhookUrls(tx, services, [values.provider])
      return reply(200, providerAppResource(await updateProviderAppRow(tx, row.id, values), urls.get(values.provider)))
    }),
})

type Change = UpdateProviderAppRequest['providerApp']

/** Contract 3.16: what is not a mask, and a mask without a value. */
function maskIssues(mask: string, index: number, change: Change): Issue[] {
  const at = { in: 'body', name: `updateMask[${index}]`, value: mask } as const
  const known = masks.find((candidate) => candidate === mask)
  if (known === undefined)
    return [{ ...at, detail: `There is no such path: ${mask}.`, remedy: `Use one of ${masks.join(', ')}.` }]
  if (change[known] !== undefined) return []
  return [
    {
      ...at,
      detail: `The mask names ${mask}, but the provider app in the body has no value there.`,
      remedy: `Send providerApp.${mask}, or take it out of the mask.`,
    },
  ]
}

function changed(
  row: ProviderAppRow,
  { updateMask, providerApp }: UpdateProviderAppRequest,
  services: { catalogue: Catalogue; keyring: Keyring },
): ProviderAppValues {
  const listed = Object.fromEntries(
    masks.filter((mask) => updateMask.includes(mask)).map((mask) => [mask, providerApp[mask]]),
  ) as Change
  const { clientSecret } = listed
  const provider = listed.provider ?? row.provider
  return {
    provider,
    clientId: listed.clientId ?? row.client_id,
    encryptedSecret:
      clientSecret === undefined
        ? row.encrypted_secret
        : encryptClientSecret(services.keyring, row.project_id, row.id, clientSecret),
    externalRef: listed.externalRef === undefined ? row.external_ref : listed.externalRef || null,
    allowedHosts: listed.allowedHosts ?? row.allowed_hosts,
    scopes: listed.scopes ? flatScopes(listed.scopes) : row.scopes,
    // Another provider does not get the secrets of the former one.
    ...withoutSecrets(
      services,
      { ...row, provider, encrypted_params: provider === row.provider ? row.encrypted_params : null },
      listed.metadata ?? row.metadata,
    ),
  }
}
