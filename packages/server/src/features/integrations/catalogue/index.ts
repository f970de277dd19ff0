import { getProvider } from './operations/get-provider.ts'
import { listProviderFileFaults } from './operations/list-provider-file-faults.ts'
import { listProviders } from './operations/list-providers.ts'

export { brokenFile, hasBrokenFile, providerOfFault } from './faults.ts'
export { unknownProvider } from './unknown-provider.ts'

export const catalogueOperations = [listProviders, getProvider, listProviderFileFaults]
