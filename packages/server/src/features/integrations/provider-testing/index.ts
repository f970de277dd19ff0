import { testProviderFile } from './operations/test-provider-file.ts'

export const providerTestingOperations = [testProviderFile]
