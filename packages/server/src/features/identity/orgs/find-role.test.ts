import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFindRole } from './index.ts'
import { type People, startPeople } from './orgs.testkit.ts'

let people: People
beforeAll(async () => {
  people = await startPeople()
})
afterAll(() => people?.app.stop())

it('a role that is forgotten while it is looked up is still answered, and so is that there is none', async () => {
  const { app, member, stranger, orgId } = people
  const { database, now } = app.app.services
  const findRole = createFindRole({ database, now })
  for (const { builderId, role } of [
    { builderId: member.builderId, role: 'member' },
    { builderId: stranger.builderId, role: undefined },
  ]) {
    const found = findRole(builderId, { org: orgId })
    findRole.forget()
    expect((await found)?.role).toBe(role)
  }
})
