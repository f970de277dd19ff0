import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../kernel/db/index.ts'
import { joinByDomain, mayEnter } from './index.ts'
import { bare, type People, type ProblemBody, startPeople, told } from './orgs.testkit.ts'

let people: People
beforeAll(async () => {
  people = await startPeople()
})
afterAll(() => people?.app.stop())

const claim = (domain: string, parentId = people.orgId) =>
  people.owner.call<ProblemBody>('POST', '/claimed-domains', { domain, parentId, parentType: 'org' })
const check = (person: { call: People['owner']['call'] }, domain: string) =>
  person.call<ProblemBody>('GET', `/claimed-domains?domain=${encodeURIComponent(domain)}`)

describe('a claimed domain', () => {
  it('is stored in one form, and claimed once', async () => {
    const { owner, orgId } = people
    const made = await claim('https://www.Acme.example/about')
    expect([made.status, made.body]).toEqual([201, ''])
    expect((await owner.call('GET', `/orgs/${orgId}/claimed-domains`)).body).toEqual([
      { id: expect.any(String), parentType: 'org', parentId: orgId, domain: 'acme.example' },
    ])
    expect(told(await claim('ada@ACME.example'))).toEqual([409, 'domain-taken'])
    const org = await owner.call<{ id: string }>('POST', '/orgs', { label: 'second' })
    expect(told(await claim('acme.example', org.body.id))).toEqual([409, 'domain-taken'])
  })

  it('is claimed by an owner of the organisation alone', async () => {
    const { member, orgId, stranger } = people
    const as = (person: { call: People['owner']['call'] }, parentId: string) =>
      person.call<ProblemBody>('POST', '/claimed-domains', { domain: 'other.example', parentId, parentType: 'org' })
    expect(told(await as(member, orgId))).toEqual([403, 'forbidden'])
    const foreign = await as(stranger, orgId)
    expect(told(foreign)).toEqual([400, 'invalid-input', 'body.parentId'])
    const unknown = newId()
    expect(JSON.stringify(bare(await as(stranger, unknown))).replaceAll(unknown, orgId)).toEqual(
      JSON.stringify(bare(foreign)),
    )
  })

  it.each(['', 'acme', '10.0.0.1', 'a b', 'gmail.com', 'ada@googlemail.com', 'https://outlook.com/'])(
    'is not %j',
    async (domain) => expect(told(await claim(domain))).toEqual([400, 'invalid-input', 'body.domain']),
  )

  it('says all that is wrong at once', async () => {
    expect(told(await claim('nothing', newId()))).toEqual([400, 'invalid-input', 'body.domain', 'body.parentId'])
    const shape = await people.owner.call<ProblemBody>('POST', '/claimed-domains', { parentType: 'team' })
    expect(told(shape).slice(2).toSorted()).toEqual(['body.domain', 'body.parentId', 'body.parentType'])
  })

  it('is told to its owner and to whoever has an address there; to others it looks unclaimed', async () => {
    const { member, owner, person, stranger } = people
    await claim('told.example')
    const ada = await person('ada@told.example')
    for (const one of [owner, ada])
      expect(await check(one, 'x@told.example')).toMatchObject({ status: 200, body: { domain: 'told.example' } })
    const unclaimed = await check(stranger, 'unclaimed.example')
    expect(told(unclaimed)).toEqual([404, 'claimed-domain-not-found'])
    for (const one of [stranger, member]) expect(bare(await check(one, 'told.example'))).toEqual(bare(unclaimed))
    expect(told(await check(owner, 'nonsense'))).toEqual([400, 'invalid-input', 'query.domain'])
    expect(told(await owner.call<ProblemBody>('GET', '/claimed-domains'))).toEqual([
      400,
      'invalid-input',
      'query.domain',
    ])
  })
})

describe('whoever has an address of the domain', () => {
  const join = (person: { call: People['owner']['call'] }, builderId: string, orgId = people.orgId) =>
    person.call<ProblemBody>('POST', `/orgs/${orgId}/memberships`, { builderId })

  it('joins by themselves, and adds nobody else', async () => {
    const { owner, person, stranger } = people
    await claim('join.example')
    const ada = await person('ada@join.example')
    expect(told(await join(ada, stranger.builderId))).toEqual([403, 'forbidden'])
    expect((await join(ada, ada.builderId)).status).toBe(201)
    expect(told(await join(ada, ada.builderId))).toEqual([400, 'invalid-input', 'body.builderId'])
    expect(told(await join(ada, stranger.builderId))).toEqual([403, 'forbidden'])
    expect((await owner.call<{ id: string }[]>('GET', `/orgs/${people.orgId}/builders`)).body).toContainEqual(
      expect.objectContaining({ id: ada.builderId }),
    )
    expect((await ada.call<{ orgRole: { role: string } }>('GET', '/my-info')).body.orgRole.role).toBe('member')
  })

  it('does not join with an address that nobody proved', async () => {
    const { person } = people
    await claim('proof.example')
    const eve = await person('eve@proof.example', { emailVerified: false })
    expect(told(await join(eve, eve.builderId))).toEqual([403, 'address-not-verified'])
    const { services } = people.app.app
    const row = await services.database.system
      .selectFrom('builders')
      .selectAll()
      .where('id', '=', eve.builderId)
      .executeTakeFirstOrThrow()
    expect(await joinByDomain(services.database.system, row)).toBeUndefined()
    expect(await joinByDomain(services.database.system, { ...row, email_verified: true })).toBe(people.orgId)
  })

  it('is of that domain exactly', async () => {
    const { app, person, stranger } = people
    await claim('exact.example')
    for (const email of ['a@sub.exact.example', 'a@notexact.example']) {
      const other = await person(email)
      expect((await join(other, other.builderId)).status).toBe(404)
    }
    expect((await join(stranger, stranger.builderId)).status).toBe(404)
    const { system } = app.testDatabase.database
    expect(await mayEnter(system, 'new@exact.example', app.clock.now())).toBe(true)
    expect(await mayEnter(system, 'new@sub.exact.example', app.clock.now())).toBe(false)
  })
})
