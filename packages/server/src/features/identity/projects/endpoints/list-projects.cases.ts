import { casesOf } from '../../../../testkit/cases.ts'
import { listProjects } from './list-projects.ts'

export const cases = casesOf(listProjects, { status: 200, namesNoIds: true })
