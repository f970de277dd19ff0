import { afterAll, beforeAll, expect, it } from 'vitest'
import { credentialsTopic } from '../../../kernel/pubsub/index.ts'
import { createFindRole } from './index.ts'
import { type People, startPeople } from './orgs.testkit.ts'

let people: People
beforeAll(async () => {
  people = await startPeople()
})
afterAll(() => people?.app.stop())

it('a role that is forgotten while it is looked up is still answered, and so is that there is none', async () => {
  const { app, member, stranger, orgId } = people
  const { database, pubsub, now } = app.app.services
  const findRole = createFindRole({ database, pubsub, now })
  for (const { builderId, role } of [
    { builderId: member.builderId, role: 'developer' },
    { builderId: stranger.builderId, role: undefined },
  ]) {
    const found = findRole(builderId, { org: orgId })
    pubsub.notifyLocal(credentialsTopic, { table: 'memberships', id: builderId })
    expect((await found)?.role).toBe(role)
  }
})
