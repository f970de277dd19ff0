import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { startTestNode } from '../../../testkit/test-app.ts'
import { bare, type People, type ProblemBody, startPeople, told } from './orgs.testkit.ts'

let people: People
beforeAll(async () => {
  people = await startPeople()
})
afterAll(() => people?.app.stop())

interface OrgBody {
  id: string
  label: string
  defaultTeamId: string
  createTime: string
  updateTime?: string
}

describe('an organisation', () => {
  it('belongs to whoever creates it, and works at once', async () => {
    const { stranger } = people
    const made = await stranger.call<OrgBody>('POST', '/orgs', { label: 'Wheels Ltd.' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.any(String),
      label: 'Wheels Ltd.',
      requireSecondFactor: false,
      defaultTeamId: expect.any(String),
      createTime: expect.any(String),
    })
    expect((await stranger.call('GET', `/orgs/${made.body.id}`)).body).toEqual(made.body)
    const renamed = await stranger.call<OrgBody>('PATCH', `/orgs/${made.body.id}`, {
      updateMask: ['label'],
      org: { label: 'Wheels GmbH', id: '' },
    })
    expect([renamed.status, renamed.body.label]).toEqual([200, 'Wheels GmbH'])
    expect(renamed.body.updateTime).toEqual(expect.any(String))
  })

  it('is not created by an API key', async () => {
    const { app } = people
    expect(told(await app.call<ProblemBody>('POST', '/orgs', { label: 'x' }))).toEqual([403, 'forbidden'])
  })

  it.each(['', '   ', 'a\nb', 'a\u202eb', 'x'.repeat(129)])('has no label such as %j', async (label) => {
    expect(told(await people.owner.call<ProblemBody>('POST', '/orgs', { label }))).toEqual([
      400,
      'invalid-input',
      'body.label',
    ])
  })

  it('is updated by mask alone', async () => {
    const { owner, orgId } = people
    const update = (body: unknown) => owner.call<ProblemBody>('PATCH', `/orgs/${orgId}`, body)
    const unknown = await update({ updateMask: ['id', 'label'], org: {} })
    expect(told(unknown)).toEqual([400, 'invalid-input', 'body.updateMask[0]', 'body.org.label'])
    expect(unknown.body.issues[0]?.remedy).toContain('label')
    expect((await update({ updateMask: [], org: { label: 'x' } })).status).toBe(400)
  })

  it('looks like a missing one to whoever has no role there', async () => {
    const { app, orgId, stranger } = people
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { updateMask: ['label'], org: { label: 'mine' } }],
      ['GET', '/builders'],
      ['POST', '/invites', { email: 'x@example.com' }],
      ['GET', '/invites'],
      ['GET', `/invites/${newId()}`],
      ['DELETE', `/invites/${newId()}`],
      ['GET', '/claimed-domains'],
      ['POST', '/memberships', { builderId: stranger.builderId }],
    ] as const) {
      const theirs = await stranger.call<ProblemBody>(method, `/orgs/${orgId}${path}`, body)
      expect(theirs.status).toBe(404)
      for (const missing of [newId(), 'no-id'])
        expect(bare(await stranger.call<ProblemBody>(method, `/orgs/${missing}${path}`, body))).toEqual(bare(theirs))
    }
    const foreign = { apiKey: app.otherProject.apiKey }
    const path = `/invites/${newId()}`
    expect((await app.call('DELETE', `/orgs/${orgId}${path}`, undefined, foreign)).status).toBe(404)
  })

  it('is seen by its members, and changed by its owners alone', async () => {
    const { member, orgId } = people
    expect((await member.call('GET', `/orgs/${orgId}`)).status).toBe(200)
    for (const [method, path, body] of [
      ['PATCH', '', { updateMask: ['label'], org: { label: 'mine' } }],
      ['POST', '/invites', { email: 'x@example.com' }],
      ['GET', '/invites'],
      ['GET', `/invites/${newId()}`],
      ['DELETE', `/invites/${newId()}`],
      ['GET', '/claimed-domains'],
      ['POST', '/memberships', { builderId: people.stranger.builderId }],
    ] as const)
      expect(told(await member.call<ProblemBody>(method, `/orgs/${orgId}${path}`, body))).toEqual([403, 'forbidden'])
  })

  it('lists who belongs to it, in the order of joining, without passwords', async () => {
    const { member, orgId, owner } = people
    const { body } = await member.call<{ id: string }[]>('GET', `/orgs/${orgId}/builders`)
    expect(body.slice(0, 2).map(({ id }) => id)).toEqual([owner.builderId, member.builderId])
    expect(body[0]).toEqual({
      id: owner.builderId,
      idpProvider: 'mortise',
      idpRef: owner.builderId,
      fullName: 'owner',
      primaryEmail: 'owner@example.com',
      role: 'owner',
      createTime: expect.any(String),
    })
  })
})

describe('a membership', () => {
  it('is given by an owner, and opens the projects at once', async () => {
    const { orgId, owner, person } = people
    const joiner = await person('joiner@example.com')
    expect((await joiner.call('GET', '/projects/default')).status).toBe(404)
    const added = await owner.call('POST', `/orgs/${orgId}/memberships`, { builderId: joiner.builderId })
    expect([added.status, added.body]).toEqual([201, ''])
    expect((await joiner.call('GET', '/projects/default')).status).toBe(200)
    expect((await joiner.call('GET', `/orgs/${orgId}`)).status).toBe(200)
    const again = await owner.call<ProblemBody>('POST', `/orgs/${orgId}/memberships`, { builderId: joiner.builderId })
    expect(told(again)).toEqual([400, 'invalid-input', 'body.builderId'])
  })

  it('is not given to nobody', async () => {
    const { orgId, owner } = people
    for (const builderId of [newId(), 'nobody', ''])
      expect(told(await owner.call<ProblemBody>('POST', `/orgs/${orgId}/memberships`, { builderId }))).toEqual([
        404,
        'builder-not-found',
      ])
  })

  it('adding an owner again leaves them an owner', async () => {
    const { orgId, owner } = people
    expect((await owner.call('POST', `/orgs/${orgId}/memberships`, { builderId: owner.builderId })).status).toBe(400)
    expect((await owner.call('GET', `/orgs/${orgId}/invites`)).status).toBe(200)
  })

  it('that was taken away is believed for five seconds more, on any node', async () => {
    const { app, orgId, person } = people
    const leaver = await person('leaver@example.com', { role: 'developer' })
    const node = await startTestNode(app)
    const onNode = () => node.call('GET', `/orgs/${orgId}`, undefined, { apiKey: null, headers: leaver.headers })
    try {
      expect([(await leaver.call('GET', `/orgs/${orgId}`)).status, (await onNode()).status]).toEqual([200, 200])
      await app.testDatabase.database.system
        .deleteFrom('memberships')
        .where('builder_id', '=', leaver.builderId)
        .execute()
      app.clock.advance(5_001)
      node.clock.advance(5_001)
      expect([(await leaver.call('GET', `/orgs/${orgId}`)).status, (await onNode()).status]).toEqual([404, 404])
    } finally {
      await node.app.stop()
    }
  })
})

describe('my info', () => {
  it('tells an owner and a member what they can reach', async () => {
    const { app, member, orgId, owner } = people
    for (const [person, role, orgRole] of [
      [owner, 'admin', 'owner'],
      [member, 'developer', 'developer'],
    ] as const) {
      const { status, body } = await person.call('GET', '/my-info')
      const principal = { principalType: 'builder', principalId: person.builderId }
      expect(status).toBe(200)
      expect(body).toMatchObject({
        builder: { id: person.builderId, primaryEmail: person.email },
        projectRoles: {
          [app.projectId]: { role, ...principal, project: { id: app.projectId, name: 'default', orgId } },
        },
        orgRole: { role: orgRole, ...principal, org: { id: orgId } },
      })
    }
  })

  it('has project roles even when there are none, and no organisation then', async () => {
    const nobody = await people.person('nobody@example.com')
    const { body } = await nobody.call('GET', '/my-info')
    expect(body).toEqual({ builder: expect.any(Object), projectRoles: {} })
  })

  it('is nothing for an API key', async () => {
    expect(told(await people.app.call<ProblemBody>('GET', '/my-info'))).toEqual([403, 'forbidden'])
  })
})
