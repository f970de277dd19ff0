import { type Capabilities, evidenceOf, type ProviderEntry, type Support, schemeName } from '@mortise/providers'
import { appParamItem, authOptions, metadataItem, moduleDependencies } from './auth-options.ts'
import type { ProviderInfo } from './model.ts'
import { clientTemplate } from './templates.ts'

/** A provider as clients of the interface know it (contract 3.15). What nobody knows is left out. */
export function providerInfo(entry: ProviderEntry): ProviderInfo {
  const { healthCheck, subscribeRequirements, postAuthInfoNeeded, postAuthentication, appMetadata, labels } = entry
  const { confidence, documented, connected, seeAlso } = entry
  const modules = Object.entries(entry.modules)
  const metadata = {
    ...(entry.inputs.length > 0 && { input: entry.inputs.map(metadataItem) }),
    ...(postAuthentication && {
      postAuthentication: postAuthentication.map(({ name, modules }) => ({ name, ...moduleDependencies(modules) })),
    }),
  }
  return {
    name: entry.name,
    displayName: entry.displayName,
    authType: entry.authType as ProviderInfo['authType'],
    baseURL: clientTemplate(entry.baseUrl),
    defaultModule: entry.defaultModule ?? '',
    support: supportOf(entry),
    implemented: implementedOf(entry.implemented),
    ...authOptions(entry.authentication),
    schemes: entry.authentication.map((scheme) => ({
      name: schemeName(scheme),
      type: scheme.scheme,
      ...authOptions([scheme]),
    })),
    ...(healthCheck && { authHealthCheck: healthCheckOf(entry.baseUrl, healthCheck) }),
    ...(postAuthInfoNeeded !== undefined && { postAuthInfoNeeded }),
    ...(subscribeRequirements && { subscribeRequirements }),
    ...(modules.length > 0 && {
      modules: Object.fromEntries(
        modules.map(([id, module]) => [
          id,
          {
            displayName: module.displayName,
            baseURL: clientTemplate(module.baseUrl),
            support: supportOf(module),
            implemented: implementedOf(module.implemented),
            ...(module.subscribeRequirements && { subscribeRequirements: module.subscribeRequirements }),
            ...objectScopesOf(entry, id),
          },
        ]),
      ),
    }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(appMetadata && {
      providerAppMetadata: {
        ...(appMetadata.authQueryParams.length > 0 && {
          authQueryParams: appMetadata.authQueryParams.map(metadataItem),
        }),
        ...(appMetadata.providerParams.length > 0 && { providerParams: appMetadata.providerParams.map(appParamItem) }),
      },
    }),
    ...(labels && { labels }),
    ...objectScopesOf(entry, ''),
    ...(seeAlso && { seeAlso }),
    evidence: evidenceOf(entry),
    ...(confidence !== undefined && { confidence }),
    ...(documented && { documented }),
    ...(connected && { connected }),
    providerOpts: {},
  }
}

const notBatched = { supported: false }

function supportOf({ implemented, batchWrite, bulkWrite, subscribeSupport }: Support): ProviderInfo['support'] {
  const { proxy, read, subscribe, write, search } = implemented
  const batch = (recordsMax: number | undefined) =>
    recordsMax === undefined ? notBatched : { supported: true, defaultRecordLimit: recordsMax }
  return {
    // No provider file describes jobs that upsert or delete.
    bulkWrite: { insert: bulkWrite?.create === true, update: bulkWrite?.update === true, upsert: false, delete: false },
    proxy,
    read,
    subscribe,
    write,
    delete: implemented.delete,
    search: { operators: { equals: search } },
    ...(subscribeSupport && { subscribeSupport }),
    ...(batchWrite && {
      batchWrite: {
        create: batch(batchWrite.create),
        update: batch(batchWrite.update),
        upsert: notBatched,
        delete: notBatched,
      },
    }),
  }
}

function objectScopesOf({ objectScopes = {} }: ProviderEntry, module: string): Pick<ProviderInfo, 'objectScopes'> {
  const scopes = Object.hasOwn(objectScopes, module) ? objectScopes[module] : undefined
  // The types of the schema are not read-only.
  return scopes ? { objectScopes: scopes as NonNullable<ProviderInfo['objectScopes']> } : {}
}

function implementedOf({ read, write, proxy, subscribe, search, ...rest }: Capabilities): ProviderInfo['implemented'] {
  return { read, write, delete: rest.delete, proxy, subscribe, search }
}

function healthCheckOf(
  baseUrl: string,
  { method, path, url, successStatusCodes }: NonNullable<ProviderEntry['healthCheck']>,
): NonNullable<ProviderInfo['authHealthCheck']> {
  return {
    url: clientTemplate(url ?? `${baseUrl.replace(/(?<!\/)\/+$/, '')}${path ?? '/'}`),
    ...(method !== undefined && { method }),
    ...(successStatusCodes && { successStatusCodes: [...successStatusCodes] }),
  }
}
