import { casesOf } from '../../../../testkit/cases.ts'
import { getInstallationStatus } from './get-installation-status.ts'

export const cases = casesOf(getInstallationStatus, { status: 200 })
