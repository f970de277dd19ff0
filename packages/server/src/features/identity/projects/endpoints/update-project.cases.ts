import { casesOf } from '../../../../testkit/cases.ts'
import { updateProject } from './update-project.ts'

export const cases = casesOf(updateProject, {
  request: { body: { updateMask: ['appName'], project: { appName: 'Renamed' } } },
  status: 200,
  example: { request: { body: { updateMask: ['appName'], project: { appName: 'Acme' } } } },
})
