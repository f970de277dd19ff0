import { createProviderApp } from './operations/create-provider-app.ts'
import { deleteProviderApp } from './operations/delete-provider-app.ts'
import { listProviderApps } from './operations/list-provider-apps.ts'
import { updateProviderApp } from './operations/update-provider-app.ts'

export { clientOfApp, openClientSecret } from './client-secret.ts'
export { ProviderApp, type ProviderAppRow, providerAppResource } from './model.ts'
export { keepOfferedSecret } from './offered-secrets.ts'
export { appValue, sealStoredSecrets } from './secret-params.ts'
export { findProviderApp } from './store.ts'

export const providerAppsOperations = [createProviderApp, listProviderApps, updateProviderApp, deleteProviderApp]
