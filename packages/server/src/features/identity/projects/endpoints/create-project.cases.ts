import { newId } from '../../../../kernel/db/index.ts'
import { casesOf } from '../../../../testkit/cases.ts'
import { createProject } from './create-project.ts'

export const cases = casesOf(createProject, {
  request: (ids) => ({ body: { name: `made-${newId()}`, appName: 'Made', orgId: ids.orgId } }),
  status: 201,
  statusFor: { 'a viewer': 403, 'an operator': 403, 'a developer': 403, 'a builder of another organisation': 422 },
  example: { request: ({ tenant }) => ({ body: { name: 'acme-staging', appName: 'Acme', orgId: tenant.ids.orgId } }) },
})
