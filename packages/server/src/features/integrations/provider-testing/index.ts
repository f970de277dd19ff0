import { testProviderFile } from './endpoints/test-provider-file.ts'

export const providerTestingEndpoints = [testProviderFile]
