import { createHmac, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { createKeyring } from '../../../kernel/encryption/index.ts'
import type { OrgRole } from '../../../kernel/http/index.ts'
import { acceptInviteByToken, findInviteByToken } from './index.ts'
import { inviteIdOf, inviteToken } from './invite-token.ts'
import { bare, type People, type Person, type ProblemBody, startPeople, told } from './orgs.testkit.ts'

let people: People
beforeAll(async () => {
  people = await startPeople()
})
afterAll(() => people?.app.stop())

interface InviteBody {
  id: string
  invitedEmail: string
  status: string
  link?: string
}

const days = 24 * 60 * 60 * 1_000
const invite = async (email: string, role?: OrgRole, as: Person = people.owner) => {
  const { orgId } = people
  const answer = await as.call<InviteBody>('POST', `/orgs/${orgId}/invites`, { email, role })
  expect(answer.status).toBe(201)
  return { ...answer.body, token: new URL(answer.body.link!).searchParams.get('token')! }
}
const show = async (id: string) => {
  const { orgId, owner } = people
  return (await owner.call<InviteBody>('GET', `/orgs/${orgId}/invites/${id}`)).body
}
const revoke = (id: string, as: 'owner' | 'member' = 'owner') =>
  people[as].call<ProblemBody>('DELETE', `/orgs/${people.orgId}/invites/${id}`)
const acceptByToken = (token: string, builderId: string) => {
  const { services } = people.app.app
  return services.database.system.transaction().execute((tx) => acceptInviteByToken(tx, services, { token, builderId }))
}

describe('an invite', () => {
  it('shows its link once, where no mail is sent', async () => {
    const { app, orgId, owner } = people
    const { body, status } = await owner.call<InviteBody>('POST', `/orgs/${orgId}/invites`, {
      email: ' Ada@Example.com ',
    })
    expect(status).toBe(201)
    const { link, ...rest } = body
    expect(rest).toEqual({
      id: expect.any(String),
      invitedEmail: 'ada@example.com',
      parentType: 'org',
      parentId: orgId,
      role: 'developer',
      status: 'pending',
      createTime: expect.any(String),
    })
    expect(link).toMatch(new RegExp(`^${app.app.services.publicUrl}/signin/invite\\?token=[\\w-]{64}$`))
    expect(await show(body.id)).toEqual(rest)
    const list = await owner.call<InviteBody[]>('GET', `/orgs/${orgId}/invites`)
    expect(list.body).toContainEqual(rest)
    const token = new URL(link!).searchParams.get('token')!
    expect(app.logs.some((line) => line.includes(token))).toBe(false)
  })

  it('is sent to one address once, while it is pending', async () => {
    const { orgId, owner } = people
    const again = (email: string) => owner.call<ProblemBody>('POST', `/orgs/${orgId}/invites`, { email })
    const first = await invite('twice@example.com')
    const refused = await again('TWICE@example.com')
    expect(told(refused)).toEqual([400, 'invalid-input', 'body.email'])
    expect(refused.body.issues[0]?.detail).toContain('pending')
    expect((await revoke(first.id)).status).toBe(204)
    expect((await again('twice@example.com')).status).toBe(201)
  })

  it('of which two are made at the same moment is one', async () => {
    const { orgId, owner } = people
    const both = await Promise.all(
      [1, 2, 3].map(() => owner.call('POST', `/orgs/${orgId}/invites`, { email: 'race@example.com' })),
    )
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 400, 400])
  })

  it('is not sent to who belongs already, nor to what is no address', async () => {
    const { orgId, owner } = people
    for (const email of ['member@example.com', 'nobody', '', 'a@b@c.example', 'x@example.com\nBcc: y@example.com'])
      expect(told(await owner.call<ProblemBody>('POST', `/orgs/${orgId}/invites`, { email }))).toEqual([
        400,
        'invalid-input',
        'body.email',
      ])
    expect(told(await owner.call<ProblemBody>('POST', `/orgs/${orgId}/invites`, {}))).toEqual([
      400,
      'invalid-input',
      'body.email',
    ])
  })

  it('expires after 14 days, and may then be sent again', async () => {
    const { app } = people
    const { id, token } = await invite('late@example.com')
    const late = await people.person('late@example.com')
    const now = app.clock.now()
    // The token of a builder lives shorter than an invite: the owner signs in again at each time.
    const travel = async (ms: number) => {
      app.clock.set(new Date(now.getTime() + ms))
      people.owner = await people.person('owner@example.com')
    }
    try {
      await travel(14 * days - 60_000)
      expect((await show(id)).status).toBe('pending')
      await travel(14 * days + 60_000)
      expect((await show(id)).status).toBe('expired')
      const refused = await revoke(id)
      expect(told(refused)).toEqual([400, 'invalid-input', 'path.inviteId'])
      expect(refused.body.issues[0]?.detail).toContain('expired')
      expect(await acceptByToken(token, late.builderId)).toEqual({ refused: 'expired' })
      const next = await invite('late@example.com')
      expect(await acceptByToken(next.token, late.builderId)).toEqual({ orgId: people.orgId })
      expect((await show(id)).status).toBe('expired')
    } finally {
      await travel(0)
    }
  })
})

describe('revoking', () => {
  it('ends an invite for good', async () => {
    const { id, token } = await invite('gone@example.com')
    const gone = await people.person('gone@example.com')
    const answer = await revoke(id)
    expect([answer.status, answer.body]).toEqual([204, ''])
    expect(await show(id)).toMatchObject({ status: 'revoked', updateTime: expect.any(String) })
    expect(await acceptByToken(token, gone.builderId)).toEqual({ refused: 'revoked' })
    const again = await revoke(id)
    expect(told(again)).toEqual([400, 'invalid-input', 'path.inviteId'])
    expect(again.body.issues[0]?.detail).toContain('revoked')
  })

  it('is refused for an accepted invite, which says so', async () => {
    const { id, token } = await invite('in@example.com')
    const joined = await people.person('in@example.com')
    expect(await acceptByToken(token, joined.builderId)).toEqual({ orgId: people.orgId })
    const refused = await revoke(id)
    expect(told(refused)).toEqual([400, 'invalid-input', 'path.inviteId'])
    expect(refused.body.issues[0]?.detail).toContain('accepted')
  })

  it('is done by a full key of a project of the organisation, and by no other', async () => {
    const { app, orgId } = people
    const { id } = await invite('by-key@example.com')
    const path = `/orgs/${orgId}/invites/${id}`
    expect((await app.call('DELETE', path, undefined, { apiKey: app.frontendKey })).status).toBe(403)
    expect((await app.call('DELETE', path, undefined, { apiKey: app.otherProject.apiKey })).status).toBe(404)
    expect((await app.call('DELETE', path, undefined, { apiKey: null })).status).toBe(401)
    expect((await revoke(id, 'member')).status).toBe(403)
    expect((await app.call('DELETE', path)).status).toBe(204)
  })

  it('finds no unknown invite, and no other organisation’s: both look the same', async () => {
    const { app, orgId, stranger } = people
    const org = await stranger.call<{ id: string }>('POST', '/orgs', { label: 'theirs' })
    const theirs = await stranger.call<InviteBody>('POST', `/orgs/${org.body.id}/invites`, { email: 'x@example.com' })
    expect(theirs.status).toBe(201)
    const missing = await revoke(newId())
    expect(told(missing)).toEqual([404, 'invite-not-found'])
    for (const id of [theirs.body.id, 'no-id']) {
      expect(bare(await revoke(id))).toEqual(bare(missing))
      expect(bare(await app.call<ProblemBody>('DELETE', `/orgs/${orgId}/invites/${id}`))).toEqual(bare(missing))
      expect((await people.owner.call('GET', `/orgs/${orgId}/invites/${id}`)).status).toBe(404)
    }
  })
})

describe('the role of an invite', () => {
  const roleOf = async (person: Person) =>
    (await person.call<{ orgRole: { role: string } }>('GET', '/my-info')).body.orgRole.role

  it('is what the person gets, by the link and by the address', async () => {
    const [byLink, byAddress] = [
      await invite('owner-by-link@example.com', 'owner'),
      await invite('owner@by.example', 'owner'),
    ]
    expect(await show(byLink.id)).toMatchObject({ role: 'owner', status: 'pending' })
    const linked = await people.person('owner-by-link@example.com')
    expect(await acceptByToken(byLink.token, linked.builderId)).toEqual({ orgId: people.orgId })
    const addressed = await people.person(byAddress.invitedEmail)
    await addressed.call('POST', '/invites:accept', { invitedEmail: byAddress.invitedEmail })
    expect([await roleOf(linked), await roleOf(addressed)]).toEqual(['owner', 'owner'])
  })

  it.each(['viewer', 'operator', 'developer'] as const)('%s is shown, and is what the person gets', async (role) => {
    const { id, token } = await invite(`${role}@role.example`, role)
    expect(await show(id)).toMatchObject({ role })
    const person = await people.person(`${role}@role.example`)
    await acceptByToken(token, person.builderId)
    expect(await roleOf(person)).toBe(role)
  })

  it('may be called member by older clients, for developer', async () => {
    const body = { email: 'older@role.example', role: 'member' }
    const made = await people.owner.call<InviteBody>('POST', `/orgs/${people.orgId}/invites`, body)
    expect(made).toMatchObject({ status: 201, body: { role: 'developer' } })
  })

  it('is owner only if the person who sent it still is one', async () => {
    const inviter = await people.person('leaves@example.com', { role: 'owner' })
    const { token } = await invite('late-owner@example.com', 'owner', inviter)
    const role = { updateMask: ['role'], builder: { role: 'viewer' } }
    await people.owner.call('PATCH', `/orgs/${people.orgId}/builders/${inviter.builderId}`, role)
    const late = await people.person('late-owner@example.com')
    expect(await acceptByToken(token, late.builderId)).toEqual({ orgId: people.orgId })
    expect(await roleOf(late)).toBe('developer')
  })

  it('does not change the role of a person who is a member already', async () => {
    const { token } = await invite('already@example.com', 'owner')
    const already = await people.person('already@example.com', { role: 'developer' })
    await acceptByToken(token, already.builderId)
    expect(await roleOf(already)).toBe('developer')
  })

  it('is one that exists', async () => {
    const { orgId, owner } = people
    const body = { email: 'admin@example.com', role: 'admin' }
    expect(told(await owner.call<ProblemBody>('POST', `/orgs/${orgId}/invites`, body))).toEqual([
      400,
      'invalid-input',
      'body.role',
    ])
  })
})

describe('accepting', () => {
  it('makes a member of whoever has the address', async () => {
    const { app, orgId, person } = people
    const { id } = await invite('accepts@example.com')
    const builder = await person('accepts@example.com')
    const { status, body } = await builder.call('POST', '/invites:accept', { invitedEmail: 'Accepts@example.com' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      builder: { id: builder.builderId },
      projectRoles: { [app.projectId]: { role: 'developer' } },
      orgRole: { role: 'developer', org: { id: orgId } },
    })
    expect((await show(id)).status).toBe('accepted')
    expect((await builder.call('GET', '/projects/default')).status).toBe(200)
    expect(told(await builder.call<ProblemBody>('POST', '/invites:accept', { invitedEmail: builder.email }))).toEqual([
      404,
      'nothing-to-accept',
    ])
  })

  it('is for nobody else', async () => {
    const { id } = await invite('for-one@example.com')
    const other = await people.person('other@example.com')
    expect(
      told(await other.call<ProblemBody>('POST', '/invites:accept', { invitedEmail: 'for-one@example.com' })),
    ).toEqual([400, 'invalid-input', 'body.invitedEmail'])
    expect((await show(id)).status).toBe('pending')
  })

  it('by address alone needs an address that was proven', async () => {
    const { id, token } = await invite('unproven@example.com')
    const unproven = await people.person('unproven@example.com', { emailVerified: false })
    const accept = (body: object) =>
      unproven.call<ProblemBody>('POST', '/invites:accept', { invitedEmail: unproven.email, ...body })
    expect(told(await accept({}))).toEqual([403, 'address-not-verified'])
    const forged = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
    const refused = await accept({ token: forged })
    expect(told(refused)).toEqual([404, 'nothing-to-accept'])
    expect(JSON.stringify(refused.body)).not.toContain(forged)
    expect((await show(id)).status).toBe('pending')
    expect((await accept({ token })).status).toBe(200)
    // A link that the owner handed over proves nothing about mail.
    const next = await people.stranger.call<{ id: string }>('POST', '/orgs', { label: 'next' })
    await people.stranger.call('POST', `/orgs/${next.body.id}/invites`, { email: unproven.email })
    expect(told(await accept({}))).toEqual([403, 'address-not-verified'])
  })

  it('takes every organisation that waits for the address', async () => {
    const { orgId, person, stranger } = people
    await invite('wanted@example.com')
    const org = await stranger.call<{ id: string }>('POST', '/orgs', { label: 'second' })
    await stranger.call('POST', `/orgs/${org.body.id}/invites`, { email: 'wanted@example.com' })
    const wanted = await person('wanted@example.com')
    expect((await wanted.call('POST', '/invites:accept', { invitedEmail: wanted.email })).status).toBe(200)
    for (const id of [orgId, org.body.id]) expect((await wanted.call('GET', `/orgs/${id}`)).status).toBe(200)
  })
})

describe('a link', () => {
  it('shows what it invites to, and works once for the address that it names', async () => {
    const { services } = people.app.app
    const { system } = services.database
    const { id, token } = await invite('linked@example.com')
    expect(await findInviteByToken(system, services, token)).toEqual({
      inviteId: id,
      orgId: people.orgId,
      orgLabel: 'default',
      invitedEmail: 'linked@example.com',
      role: 'developer',
      status: 'pending',
    })
    expect(await acceptByToken(token, people.stranger.builderId)).toEqual({ refused: 'other-email' })
    const linked = await people.person('linked@example.com', { emailVerified: false })
    const both = await Promise.all([acceptByToken(token, linked.builderId), acceptByToken(token, linked.builderId)])
    expect(both).toContainEqual({ orgId: people.orgId })
    expect(both).toContainEqual({ refused: 'accepted' })
    expect((await findInviteByToken(system, services, token))?.status).toBe('accepted')
    expect((await linked.call('GET', '/projects/default')).status).toBe(200)
  })

  it('that was not made here opens nothing', async () => {
    const { services } = people.app.app
    const { id, token } = await invite('forged@example.com')
    const idBytes = Buffer.from(id.replaceAll('-', ''), 'hex')
    const byAnotherKey = createHmac('sha256', Buffer.alloc(32, 7)).update(idBytes).digest()
    for (const forged of [
      '',
      'x',
      token.slice(1),
      `${token}A`,
      token.toUpperCase(),
      Buffer.concat([idBytes, byAnotherKey]).toString('base64url'),
      Buffer.concat([idBytes, Buffer.alloc(32)]).toString('base64url'),
    ])
      expect(await findInviteByToken(services.database.system, services, forged)).toBeUndefined()
  })

  it('survives a change of the root key, and the key after that ends it', () => {
    const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)]
    const id = newId()
    const token = inviteToken(createKeyring({ active: first }), id)
    expect(inviteIdOf(createKeyring({ active: second, retained: first }), token)).toBe(id)
    expect(inviteIdOf(createKeyring({ active: third, retained: second }), token)).toBeUndefined()
  })
})
