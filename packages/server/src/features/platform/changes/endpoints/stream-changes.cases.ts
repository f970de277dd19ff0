import { casesOf } from '../../../../testkit/cases.ts'
import { followStream } from '../../../../testkit/follow-stream.ts'
import { project } from '../../../../testkit/world.ts'
import { streamChanges } from './stream-changes.ts'

export const cases = casesOf(streamChanges, {
  status: 200,
  example: { request: ({ app }) => followStream(app, `${project}/changes:stream`) },
})
