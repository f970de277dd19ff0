import { casesOf } from '../../../../testkit/cases.ts'
import { unpauseReads } from './unpause-reads.ts'

export const cases = casesOf(unpauseReads, {
  request: (ids) => ({ body: { objects: [ids.objectName] } }),
  status: 204,
})
