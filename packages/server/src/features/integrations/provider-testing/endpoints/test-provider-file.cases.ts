import { casesOf } from '../../../../testkit/cases.ts'
import { testProviderFile } from './test-provider-file.ts'

export const cases = casesOf(testProviderFile, {
  request: (ids) => ({ body: { name: 'sampleCrm.yaml', text: 'name: sampleCrm', objects: [ids.objectName] } }),
  status: 200,
})
