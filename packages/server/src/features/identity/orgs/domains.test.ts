import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { type NameServer, startNameServer, txt } from '../../../testkit/name-server.ts'
import { joinByDomain, mayEnter } from './index.ts'
import { bare, type People, type ProblemBody, startPeople, told } from './orgs.testkit.ts'

let people: People
let dns: NameServer
beforeAll(async () => {
  dns = await startNameServer()
  people = await startPeople({}, { dnsServer: dns.address })
})
afterAll(async () => {
  await people?.app.stop()
  await dns?.stop()
})

interface Claim extends Omit<ProblemBody, 'status'> {
  id: string
  status: 'pending' | 'verified'
  verification: { recordType: string; recordName: string; recordValue: string }
}
interface Caller {
  call: People['owner']['call']
}

const claim = (domain: string, parentId = people.orgId, who: Caller = people.owner) =>
  who.call<Claim>('POST', '/claimed-domains', { domain, parentId, parentType: 'org' })
const verify = (id: string, parentId = people.orgId, who: Caller = people.owner) =>
  who.call<Claim>('POST', `/orgs/${parentId}/claimed-domains/${id}:verify`)
/** Publishes what a claim asks for. */
const publish = ({ verification: { recordName, recordValue } }: Claim) =>
  dns.answers.set(recordName, [txt(recordName, recordValue)])
/** Claims a domain and proves it. */
const prove = async (domain: string, parentId = people.orgId, who: Caller = people.owner) => {
  const { body } = await claim(domain, parentId, who)
  publish(body)
  // Verifications of one organization are limited; not what most tests are about.
  people.app.clock.advance(61_000)
  const { status, body: verified } = await verify(body.id, parentId, who)
  expect([status, verified.status]).toEqual([200, 'verified'])
  return body
}
const check = (person: { call: People['owner']['call'] }, domain: string) =>
  person.call<ProblemBody>('GET', `/claimed-domains?domain=${encodeURIComponent(domain)}`)

describe('a claimed domain', () => {
  it('is stored in one form, and answers with the DNS record that proves it', async () => {
    const { owner, orgId } = people
    const made = await claim('https://www.Acme.example/about')
    const shown = {
      id: expect.any(String),
      parentType: 'org',
      parentId: orgId,
      domain: 'acme.example',
      status: 'pending',
      verification: {
        recordType: 'TXT',
        recordName: '_mortise-challenge.acme.example',
        recordValue: expect.stringMatching(/^mortise-domain-verification=[0-9a-f]{64}$/),
      },
      createTime: expect.any(String),
    }
    expect([made.status, made.body]).toEqual([201, shown])
    expect((await owner.call('GET', `/orgs/${orgId}/claimed-domains`)).body).toEqual([made.body])
    expect(told(await claim('ada@ACME.example'))).toEqual([409, 'domain-taken'])
  })

  it('that is pending gives nobody anything and stands in nobody’s way', async () => {
    const { app, member, orgId, owner, person, stranger } = people
    const { body: pending } = await claim('bigcorp.example')
    const ada = await person('ada@bigcorp.example')
    const { system } = app.testDatabase.database
    expect(await mayEnter(system, 'new@bigcorp.example', app.clock.now())).toBe(false)
    expect((await ada.call('POST', `/orgs/${orgId}/memberships`, { builderId: ada.builderId })).status).toBe(404)
    for (const one of [ada, member, stranger])
      expect(told(await check(one, 'bigcorp.example'))).toEqual([404, 'claimed-domain-not-found'])
    expect((await check(owner, 'bigcorp.example')).body).toMatchObject({ id: pending.id, status: 'pending' })

    const theirs = await ada.call<{ id: string }>('POST', '/orgs', { label: 'Big Corp' })
    await prove('bigcorp.example', theirs.body.id, ada)
    expect(await mayEnter(system, 'new@bigcorp.example', app.clock.now())).toBe(true)
    expect((await check(ada, 'bigcorp.example')).body).toMatchObject({ parentId: theirs.body.id })
    publish(pending)
    expect(told(await verify(pending.id)), 'whose proof came first keeps it').toEqual([409, 'domain-taken'])
    expect(
      told(
        await claim('bigcorp.example', (await owner.call<{ id: string }>('POST', '/orgs', { label: 'late' })).body.id),
      ),
    ).toEqual([409, 'domain-taken'])
  })

  it('that is deleted lets nobody in any more, and can be claimed again', async () => {
    const { app, orgId, owner, stranger } = people
    const { id } = await prove('given-up.example')
    const { system } = app.testDatabase.database
    expect((await stranger.call('DELETE', `/orgs/${orgId}/claimed-domains/${id}`)).status).toBe(404)
    expect((await owner.call('DELETE', `/orgs/${orgId}/claimed-domains/${id}`)).status).toBe(204)
    expect(told(await owner.call<ProblemBody>('DELETE', `/orgs/${orgId}/claimed-domains/${id}`))).toEqual([
      404,
      'claimed-domain-not-found',
    ])
    expect(await mayEnter(system, 'new@given-up.example', app.clock.now())).toBe(false)
    expect((await claim('given-up.example')).body).toMatchObject({ status: 'pending' })
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

  it.each([
    '',
    'acme',
    '10.0.0.1',
    'a b',
    'gmail.com',
    'ada@googlemail.com',
    'https://outlook.com/',
    'co.uk',
    'github.io',
    'com',
    'www.com.au',
    'tuta.io',
    'qq.com',
  ])('is not %j', async (domain) => expect(told(await claim(domain))).toEqual([400, 'invalid-input', 'body.domain']))

  it('says all that is wrong at once', async () => {
    expect(told(await claim('nothing', newId()))).toEqual([400, 'invalid-input', 'body.domain', 'body.parentId'])
    const shape = await people.owner.call<ProblemBody>('POST', '/claimed-domains', { parentType: 'team' })
    expect(told(shape).slice(2).toSorted()).toEqual(['body.domain', 'body.parentId', 'body.parentType'])
  })

  it('is told to its owner and to whoever has an address there; to others it looks unclaimed', async () => {
    const { member, owner, person, stranger } = people
    await prove('told.example')
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

describe('the proof', () => {
  const challenge = async (domain: string) => {
    const { body } = await claim(domain)
    people.app.clock.advance(61_000)
    return body
  }

  it('is found among other records, split into strings, in any case and in quotes', async () => {
    const pending = await challenge('records.example')
    const { recordName, recordValue } = pending.verification
    dns.answers.set(recordName, [
      txt(recordName, 'v=spf1 -all'),
      txt(recordName, 'x'.repeat(255), 'y'.repeat(200)),
      txt(recordName, ` "${recordValue.slice(0, 30).toUpperCase()}`, `${recordValue.slice(30).toUpperCase()}"`),
    ])
    expect((await verify(pending.id)).body).toMatchObject({ status: 'verified', verifyTime: expect.any(String) })
    dns.answers.delete(recordName)
    const asked = dns.asked.length
    expect((await verify(pending.id)).status, 'what is verified stays so without another lookup').toBe(200)
    expect(dns.asked).toHaveLength(asked)
  })

  it('that is missing, or another one, is said to be so with the record to publish', async () => {
    const pending = await challenge('unproven.example')
    const { recordName, recordValue } = pending.verification
    const missing = await verify(pending.id)
    expect(told(missing)).toEqual([409, 'domain-not-verified'])
    expect(missing.body.detail).toBe(`There is no TXT record at ${recordName}.`)
    people.app.clock.advance(61_000)
    const other = (await claim('another.example')).body
    dns.answers.set(recordName, [
      txt(recordName, other.verification.recordValue),
      txt(recordName, recordValue.slice(0, -1)),
    ])
    const wrong = await verify(pending.id)
    expect(told(wrong)).toEqual([409, 'domain-not-verified'])
    expect(wrong.body.detail).toBe(`The 2 TXT records at ${recordName} have other values.`)
    expect(JSON.stringify(wrong.body)).toContain(recordValue)
    expect((await check(people.owner, 'unproven.example')).body).toMatchObject({ status: 'pending' })
  })

  it('that no name server tells is another matter', async () => {
    const pending = await challenge('failing.example')
    dns.answers.set(pending.verification.recordName, 'SERVFAIL')
    const failed = await verify(pending.id)
    expect(told(failed)).toEqual([502, 'domain-lookup-failed'])
    expect(failed.body.detail).toContain('SERVFAIL')
  })

  it('is looked for by an owner of the organization alone', async () => {
    const { member, orgId, stranger } = people
    const pending = await challenge('owners.example')
    publish(pending)
    expect((await verify(pending.id, orgId, member)).status).toBe(403)
    expect((await verify(pending.id, orgId, stranger)).status).toBe(404)
    const own = await stranger.call<{ id: string }>('POST', '/orgs', { label: 'own' })
    expect(told(await verify(pending.id, own.body.id, stranger))).toEqual([404, 'claimed-domain-not-found'])
    for (const id of [newId(), 'x']) expect(told(await verify(id))).toEqual([404, 'claimed-domain-not-found'])
  })

  it('is looked for a few times a minute', async () => {
    const claims = await Promise.all(Array.from({ length: 12 }, (_, at) => challenge(`limit-${at}.example`)))
    const first = await verify(claims[0]!.id)
    expect(told(first)).toEqual([409, 'domain-not-verified'])
    const again = await verify(claims[0]!.id)
    expect(told(again)).toEqual([429, 'too-many-verifications'])
    people.app.clock.advance(61_000)
    const before = dns.asked.length
    const answers = []
    for (const { id } of claims) answers.push((await verify(id)).status)
    expect(answers).toEqual([...Array(10).fill(409), 429, 429])
    expect(dns.asked.length - before).toBe(10)
    people.app.clock.advance(61_000)
    expect((await verify(claims[11]!.id)).status).toBe(409)
  })
})

describe('whoever has an address of the domain', () => {
  const join = (person: { call: People['owner']['call'] }, builderId: string, orgId = people.orgId) =>
    person.call<ProblemBody>('POST', `/orgs/${orgId}/memberships`, { builderId })

  it('joins by themselves, and adds nobody else', async () => {
    const { owner, person, stranger } = people
    await prove('join.example')
    const ada = await person('ada@join.example')
    expect(told(await join(ada, stranger.builderId))).toEqual([403, 'forbidden'])
    expect((await join(ada, ada.builderId)).status).toBe(201)
    expect(told(await join(ada, ada.builderId))).toEqual([400, 'invalid-input', 'body.builderId'])
    expect(told(await join(ada, stranger.builderId))).toEqual([403, 'forbidden'])
    expect((await owner.call<{ id: string }[]>('GET', `/orgs/${people.orgId}/builders`)).body).toContainEqual(
      expect.objectContaining({ id: ada.builderId }),
    )
    expect((await ada.call<{ orgRole: { role: string } }>('GET', '/my-info')).body.orgRole.role).toBe('developer')
  })

  it('does not join with an address that nobody proved', async () => {
    const { person } = people
    await prove('proof.example')
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
    await prove('exact.example')
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
