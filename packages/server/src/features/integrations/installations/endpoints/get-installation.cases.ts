import { casesOf } from '../../../../testkit/cases.ts'
import { getInstallation } from './get-installation.ts'

export const cases = casesOf(getInstallation, { status: 200 })
