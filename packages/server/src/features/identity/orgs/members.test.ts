import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { readEvents } from '../../../testkit/read-events.ts'
import { type People, type Person, type ProblemBody, startPeople, told } from './orgs.testkit.ts'

let people: People
let count = 0
beforeAll(async () => {
  people = await startPeople()
})
afterAll(() => people?.app.stop())

const someone = (role: 'developer' | 'owner', orgId = people.orgId) =>
  people.person(`member-${++count}@example.com`, { orgId, role })
const at = (builderId: string, orgId = people.orgId) => `/orgs/${orgId}/builders/${builderId}`
const remove = (by: Person, builderId: string, orgId?: string) => by.call<ProblemBody>('DELETE', at(builderId, orgId))
const update = (by: Person, builderId: string, role: unknown, orgId?: string) =>
  by.call<ProblemBody>('PATCH', at(builderId, orgId), { updateMask: ['role'], builder: { role } })
const rolesIn = (orgId: string) =>
  people.app.testDatabase.database.system.selectFrom('memberships').select('role').where('org_id', '=', orgId).execute()
async function newOrg(owner: Person): Promise<string> {
  return (await owner.call<{ id: string }>('POST', '/orgs', { label: 'Own' })).body.id
}

describe('a member who is removed', () => {
  it('loses the organization and its projects at once, and keeps the rest', async () => {
    const gone = await someone('developer')
    const own = await newOrg(gone)
    expect((await gone.call('GET', '/projects/default')).status).toBe(200)
    expect((await gone.call('GET', `/orgs/${people.orgId}`)).status).toBe(200)
    expect((await remove(people.owner, gone.builderId)).status).toBe(204)
    expect((await gone.call('GET', '/projects/default')).status).toBe(404)
    expect((await gone.call('GET', `/orgs/${people.orgId}`)).status).toBe(404)
    expect((await gone.call('GET', `/orgs/${own}`)).status).toBe(200)
    expect(told(await remove(people.owner, gone.builderId))).toEqual([404, 'member-not-found'])
  })

  it('loses open streams', async () => {
    const gone = await someone('developer')
    const stream = await readEvents(`${people.app.url}/v1/projects/default/logs:stream`, gone.headers)
    expect(stream.status).toBe(200)
    await remove(people.owner, gone.builderId)
    await stream.ended
  })

  it('cannot come back by an invite from before or by the claimed domain, but by an owner', async () => {
    const { app, orgId, owner } = people
    const gone = await people.person('gone@claimed.example')
    const email = { email: gone.email }
    const invite = await owner.call<{ id: string }>('POST', `/orgs/${orgId}/invites`, email)
    await app.testDatabase.database.system
      .insertInto('claimed_domains')
      .values({ id: newId(), org_id: orgId, domain: 'claimed.example', verify_time: app.clock.now() })
      .execute()
    const join = () => gone.call<ProblemBody>('POST', `/orgs/${orgId}/memberships`, { builderId: gone.builderId })
    expect((await join()).status).toBe(201)
    expect((await remove(gone, gone.builderId)).status).toBe(204)
    expect((await join()).status, 'who left can join again').toBe(201)

    expect((await remove(owner, gone.builderId)).status).toBe(204)
    expect(told(await join())).toEqual([403, 'removed-from-org'])
    const accepted = await gone.call<ProblemBody>('POST', '/invites:accept', { invitedEmail: gone.email })
    expect(told(accepted)).toEqual([404, 'nothing-to-accept'])
    expect((await owner.call('GET', `/orgs/${orgId}/invites/${invite.body.id}`)).body).toMatchObject({
      status: 'revoked',
    })

    expect((await owner.call('POST', `/orgs/${orgId}/memberships`, { builderId: gone.builderId })).status).toBe(201)
    expect((await gone.call('GET', `/orgs/${orgId}`)).status).toBe(200)
  })
})

describe('a role', () => {
  it('is changed by an owner, holds at once, and is listed', async () => {
    const { orgId, owner } = people
    const rising = await someone('developer')
    expect((await rising.call('GET', `/orgs/${orgId}/invites`)).status).toBe(403)
    expect(await update(owner, rising.builderId, 'owner')).toMatchObject({
      status: 200,
      body: { id: rising.builderId, role: 'owner' },
    })
    expect((await rising.call('GET', `/orgs/${orgId}/invites`)).status).toBe(200)
    const listed = await owner.call<{ id: string; role: string }[]>('GET', `/orgs/${orgId}/builders`)
    expect(listed.body.find(({ id }) => id === rising.builderId)?.role).toBe('owner')
    expect((await update(owner, rising.builderId, 'operator')).body).toMatchObject({ role: 'operator' })
    expect((await rising.call('GET', `/orgs/${orgId}/invites`)).status).toBe(403)
  })

  it('is one that exists, and the only thing to update', async () => {
    const { owner, member } = people
    expect((await update(owner, member.builderId, 'admin')).status).toBe(400)
    const wrong = { updateMask: ['role', 'email'], builder: {} }
    expect(told(await owner.call<ProblemBody>('PATCH', at(member.builderId), wrong))).toEqual([
      400,
      'invalid-input',
      'body.updateMask[1]',
      'body.builder.role',
    ])
    for (const nobody of [newId(), 'nobody', people.stranger.builderId]) {
      expect(told(await update(owner, nobody, 'owner'))).toEqual([404, 'member-not-found'])
      expect(told(await remove(owner, nobody))).toEqual([404, 'member-not-found'])
    }
  })

  it('of others is not for members to change or end', async () => {
    const { member, owner, stranger } = people
    expect(told(await update(member, member.builderId, 'owner'))).toEqual([403, 'forbidden'])
    expect(told(await remove(member, owner.builderId))).toEqual([403, 'forbidden'])
    expect((await remove(stranger, member.builderId)).status).toBe(404)
    expect((await update(stranger, member.builderId, 'owner')).status).toBe(404)
  })
})

describe('the last owner', () => {
  it('can neither be removed, nor leave, nor become a member', async () => {
    const last = await people.person('last@example.com')
    const org = await newOrg(last)
    await someone('developer', org)
    expect(told(await remove(last, last.builderId, org))).toEqual([409, 'last-owner'])
    expect(told(await update(last, last.builderId, 'member', org))).toEqual([409, 'last-owner'])
    const next = await someone('owner', org)
    expect((await remove(last, last.builderId.toUpperCase(), org)).status).toBe(204)
    expect(told(await remove(next, next.builderId, org))).toEqual([409, 'last-owner'])
  })

  it('is left when two owners remove each other at once', async () => {
    const one = await people.person('one@example.com')
    const org = await newOrg(one)
    const two = await someone('owner', org)
    const answers = await Promise.all([remove(one, two.builderId, org), remove(two, one.builderId, org)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404])
    expect(await rolesIn(org)).toEqual([{ role: 'owner' }])
  })
})
