import { getProvider } from './operations/get-provider.ts'
import { listProviders } from './operations/list-providers.ts'

export { unknownProvider } from './unknown-provider.ts'

export const catalogueOperations = [listProviders, getProvider]
