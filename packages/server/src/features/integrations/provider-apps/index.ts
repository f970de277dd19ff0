import { createProviderApp } from './endpoints/create-provider-app.ts'
import { deleteProviderApp } from './endpoints/delete-provider-app.ts'
import { listProviderApps } from './endpoints/list-provider-apps.ts'
import { updateProviderApp } from './endpoints/update-provider-app.ts'

export { type AppValuesCache, createAppValues, findAppValues, missingParamsOfApps } from './app-values.ts'
export { clientOfApp, openClientSecret } from './client-secret.ts'
export { missingAppScopes, missingScopesOfApps, scopesOfApp } from './missing-app-scopes.ts'
export { ProviderApp, type ProviderAppRow, providerAppResource } from './model.ts'
export { keepHandshakeSecretOfApp } from './offered-secrets.ts'
export { appValue, encryptStoredSecrets } from './secret-params.ts'
export { findProviderApp, listAppsOf } from './store.ts'

export const providerAppsEndpoints = [createProviderApp, listProviderApps, updateProviderApp, deleteProviderApp]
