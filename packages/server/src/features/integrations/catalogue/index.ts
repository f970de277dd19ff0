import { getProvider } from './endpoints/get-provider.ts'
import { listProviderFileFaults } from './endpoints/list-provider-file-faults.ts'
import { listProviders } from './endpoints/list-providers.ts'

export { brokenFile, hasBrokenFile, providerOfFault } from './faults.ts'
export { ProviderNotFound } from './problems.ts'
export { unknownProvider } from './unknown-provider.ts'

export const catalogueEndpoints = [listProviders, getProvider, listProviderFileFaults]
