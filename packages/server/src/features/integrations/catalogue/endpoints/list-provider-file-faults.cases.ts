import { casesOf } from '../../../../testkit/cases.ts'
import { listProviderFileFaults } from './list-provider-file-faults.ts'

export const cases = casesOf(listProviderFileFaults, { status: 200 })
