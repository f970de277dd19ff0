import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { apiEndpoints } from '../packages/server/src/features/index.ts'
import { sampleCrmProviders } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { type Endpoint, type OrgRole, orgRoles, permissions } from '../packages/server/src/kernel/http/index.ts'
import { secretFinder } from '../packages/server/src/kernel/http/shown-secrets.ts'
import { createTenant, type Tenant } from '../packages/server/src/testkit/tenant.ts'
import { startTestApp, type TestAnswer, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { signInBuilder, type TestBuilder } from '../packages/server/src/testkit/test-builder.ts'

/**
 * The roles of people beyond the table of permissions, which the attack S2 compares with every endpoint: what endpoints
 * check themselves, what a problem says, and how a role is stored.
 */

interface ProblemBody {
  detail: string
  remedy: string
  context: { code: string; neededRole?: string; role?: string }
}

let app: TestApp
let crm: SampleCrm
let tenant: Tenant
let people: Record<OrgRole, TestBuilder>

beforeAll(async () => {
  const env = { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api', MORTISE_RATE_LIMIT: '0' }
  app = await startTestApp({ env })
  crm = await startSampleCrm({ contacts: 3, rateLimit: 0 })
  tenant = await createTenant(app, crm, { apiKey: app.apiKey, project: 'default', name: 'crm' })
  const signIn = async (role: OrgRole) => [role, await signInBuilder(app, { email: `${role}@roles.example`, role })]
  people = Object.fromEntries(await Promise.all(orgRoles.map(signIn))) as Record<OrgRole, TestBuilder>
})
afterAll(async () => {
  await app?.stop()
  await crm?.close()
})

const as = <T = ProblemBody>({ headers }: Pick<TestBuilder, 'headers'>, method: string, path: string, body?: unknown) =>
  app.call<T>(method, path, body, { apiKey: null, headers })
const inProject = (path: string) => `/projects/default${path}`
const members = () => app.testDatabase.database.system

/** Expects that a request needs a role: of the callers, those below it are refused by its name, and no other. */
async function expectNeeds(
  needed: OrgRole,
  call: (who: TestBuilder) => Promise<TestAnswer<ProblemBody>>,
  callers: readonly OrgRole[] = orgRoles,
) {
  for (const role of callers) {
    const { status, body } = await call(people[role])
    if (orgRoles.indexOf(role) >= orgRoles.indexOf(needed)) expect(status, role).toBeLessThan(300)
    else
      expect({ status, context: body.context }).toEqual({
        status: 403,
        context: { code: 'forbidden', neededRole: needed, role },
      })
  }
}

describe('a request that needs a higher role', () => {
  it('is refused with the role that is needed, and what to do', async () => {
    const { status, body } = await as(people.viewer, 'POST', inProject('/topics'), { name: 'mine' })
    expect([status, body.detail, body.remedy]).toEqual([
      403,
      'This needs the role `developer` or higher. Your role is `viewer`.',
      'Ask an owner of the organization to do it, or to change your role.',
    ])
    const { detail } = (await as(people.developer, 'GET', `/orgs/${tenant.ids.orgId}/invites`)).body
    expect(detail).toBe('This needs the role `owner`. Your role is `developer`.')
  })

  it('looks as before to keys, which have no role', async () => {
    const { body } = await app.call<ProblemBody>(
      'POST',
      inProject('/topics'),
      { name: 'x' },
      { apiKey: app.frontendKey },
    )
    expect(body.context).toEqual({ code: 'forbidden' })
  })
})

describe('secrets', () => {
  const destination = () => inProject(`/destinations/${tenant.ids.destination}`)
  const connection = () => inProject(`/connections/${tenant.ids.connectionId}`)

  it('of the project need the role developer', async () => {
    for (const path of [
      inProject(`/api-keys/${tenant.ids.apiKey}`),
      `${destination()}?includeSecrets=true`,
      `${destination()}?rotate=true`,
      `${connection()}?includeCreds=true`,
      `${connection()}?includeRefreshToken=true`,
    ])
      await expectNeeds('developer', (who) => as(who, 'GET', path))
  })

  it('are not in what viewers see', async () => {
    for (const path of ['/api-keys', '/destinations', '/connections', '/provider-apps', '/jwt-keys'])
      for (const role of ['viewer', 'operator'] as const) {
        const { status, body } = await as<unknown>(people[role], 'GET', inProject(path))
        expect([path, status]).toEqual([path, 200])
        const text = JSON.stringify(body)
        for (const secret of [app.apiKey, crm.apiKey, 'whsec_', 'a-client-secret']) expect(text).not.toContain(secret)
      }
    expect((await as<unknown>(people.viewer, 'GET', destination())).status).toBe(200)
    expect((await as<unknown>(people.viewer, 'GET', connection())).status).toBe(200)
  })

  it('that an operator sends are not in the response', async () => {
    const body = (who: string) => ({
      groupRef: `of-${who}`,
      consumerRef: who,
      provider: 'sampleCrm',
      apiKey: crm.apiKey,
      providerMetadata: { url: crm.url },
    })
    const made = await as<{ apiKey?: string }>(people.operator, 'POST', inProject('/connections:generate'), body('one'))
    expect([made.status, made.body.apiKey]).toEqual([201, undefined])
    const theirs = await as<{ apiKey?: string }>(
      people.developer,
      'POST',
      inProject('/connections:generate'),
      body('two'),
    )
    expect([theirs.status, theirs.body.apiKey]).toEqual([201, crm.apiKey])
  })

  it('are sent to no other address by an operator', async () => {
    const change = (url: string) => ({ updateMask: ['providerMetadata'], connection: { providerMetadata: { url } } })
    const elsewhere = await as(people.operator, 'PATCH', connection(), change(`${crm.url}/elsewhere`))
    expect([elsewhere.status, elsewhere.body.context.code]).toEqual([403, 'credential-needed'])
    expect((await as(people.operator, 'PATCH', connection(), change(crm.url))).status).toBe(200)
  })

  it('are declared by no endpoint for viewers and operators, except those that check the role themselves', () => {
    const declared = (apiEndpoints as Endpoint[])
      .map(({ declaration }) => declaration)
      .filter(({ access }) => {
        const { builder, operator } = permissions[access]
        return builder === 'hidden' && operator === 'allow'
      })
      .filter(({ reply }) => Object.values(reply).some((schema) => secretFinder(schema)))
    expect(declared.map(({ id }) => id).toSorted()).toEqual([
      // These show connections, whose credentials only `maySeeSecrets` shows.
      'connectProviderAccount',
      // Its token and URL are for one customer, with a purpose that the role allows.
      'createConnectSession',
      'customAuthConnect',
      'generateConnection',
      'getConnectInfo',
      'getConnection',
      'getDestination',
      'getInstallation',
      // A hint of each key, not the key.
      'listApiKeys',
      'listConnections',
      'listInstallations',
      'listInstallationsForProject',
      'listProviderApps',
      'testConnection',
      'updateConnection',
    ])
  })
})

describe('an operator', () => {
  it('renews tokens of connections, which viewers cannot', async () => {
    const path = inProject(`/connections/${tenant.ids.connectionId}?refresh=ifExpired`)
    await expectNeeds('operator', (who) => as(who, 'GET', path))
  })

  it('lets customers connect accounts, but creates no token that changes or removes more', async () => {
    const { groupRef, consumerRef } = tenant.ids
    const path = inProject('/connect-sessions')
    const session = (body: object) => (who: TestBuilder) => as(who, 'POST', path, { groupRef, consumerRef, ...body })
    await expectNeeds('operator', session({ provider: 'sampleCrm' }))
    await expectNeeds('developer', session({ purpose: 'install', integration: 'crm' }), [
      'operator',
      'developer',
      'owner',
    ])
    await expectNeeds('developer', session({ purpose: 'manage' }), ['operator', 'developer', 'owner'])
  })
})

describe('source', () => {
  it('is uploaded by developers', async () => {
    await expectNeeds('developer', (who) => as(who, 'GET', '/generate-upload-url'))
    await expectNeeds('developer', (who) => as(who, 'GET', '/generate-upload-url?projectIdOrName=default'))
  })
})

describe('your own roles', () => {
  it('are in /my-info, for each project and for the organization', async () => {
    const roles: unknown[] = []
    for (const role of orgRoles) {
      const { body } = await as<{
        projectRoles: Record<string, { role: string }>
        orgRole: { role: string }
      }>(people[role], 'GET', '/my-info')
      roles.push([body.projectRoles[app.projectId]?.role, body.orgRole.role])
    }
    expect(roles).toEqual([
      ['viewer', 'viewer'],
      ['operator', 'operator'],
      ['developer', 'developer'],
      // Clients of the interface know this name for the highest role in a project.
      ['admin', 'owner'],
    ])
  })
})

describe('a changed role', () => {
  const change = (builderId: string, role: string) =>
    as<{ role: string }>(people.owner, 'PATCH', `/orgs/${tenant.ids.orgId}/builders/${builderId}`, {
      updateMask: ['role'],
      builder: { role },
    })

  it('holds at once, is listed, and may be called member by older clients', async () => {
    const person = await signInBuilder(app, { email: 'changing@roles.example', role: 'viewer' })
    const pause = () => as(person, 'POST', inProject(`/destinations/${tenant.ids.destination}:enable`))
    expect((await pause()).status).toBe(403)
    for (const [wanted, role, status] of [
      ['operator', 'operator', 200],
      ['viewer', 'viewer', 403],
      ['member', 'developer', 200],
      ['viewer', 'viewer', 403],
      ['owner', 'owner', 200],
      ['viewer', 'viewer', 403],
    ] as const) {
      expect((await change(person.builderId, wanted)).body.role).toBe(role)
      expect([role, (await pause()).status]).toEqual([role, status])
      const path = `/orgs/${tenant.ids.orgId}/builders?pageSize=100`
      const { body } = await as<{ id: string; role: string }[]>(people.owner, 'GET', path)
      expect(body.find(({ id }) => id === person.builderId)?.role).toBe(role)
    }
  })

  it('is published to other nodes, also between roles that the last release does not know', async () => {
    const person = await signInBuilder(app, { email: 'published@roles.example', role: 'viewer' })
    const client = new Client(app.testDatabase.url)
    await client.connect()
    onTestFinished(() => client.end())
    const published: (string | undefined)[] = []
    client.on('notification', ({ payload }) => published.push(payload))
    await client.query('listen mortise_credentials')
    await change(person.builderId, 'operator')
    await vi.waitFor(() => expect(published).toContain(`memberships ${person.builderId}`))
  })
})

describe('a node of the last release', () => {
  const stored = async (builderId: string) =>
    (await sql<{ role: string }>`select role from memberships where builder_id = ${builderId}`.execute(members())).rows
  const roleOf = async (person: TestBuilder) =>
    (await as<{ orgRole: { role: string } }>(person, 'GET', '/my-info')).body.orgRole.role

  it('sees a member, or an owner, and no role that it does not know', async () => {
    for (const role of orgRoles)
      expect(await stored(people[role].builderId)).toEqual([{ role: role === 'owner' ? 'owner' : 'member' }])
  })

  it('adds members, who are developers', async () => {
    const person = await signInBuilder(app, { email: 'former@roles.example' })
    await sql`
      insert into memberships (org_id, builder_id, role) values (${tenant.ids.orgId}, ${person.builderId}, 'member')`.execute(
      members(),
    )
    expect(await roleOf(person)).toBe('developer')
    const invite = await sql<{ id: string }>`
      insert into invites (id, org_id, invited_email, role, mailed, created_by, expire_time)
      values (gen_random_uuid(), ${tenant.ids.orgId}, 'former-invite@roles.example', 'member', false,
        ${`builder:${people.owner.builderId}`}, now() + interval '100 years') returning id`.execute(members())
    const path = `/orgs/${tenant.ids.orgId}/invites/${invite.rows[0]?.id}`
    expect((await as<{ role: string }>(people.owner, 'GET', path)).body.role).toBe('developer')
  })

  it('makes a viewer an owner, and a viewer again', async () => {
    const person = await signInBuilder(app, { email: 'risen@roles.example', role: 'viewer' })
    const set = (role: string) =>
      sql`update memberships set role = ${role} where builder_id = ${person.builderId}`.execute(members())
    await set('owner')
    expect(await roleOf(person)).toBe('owner')
    await set('member')
    expect(await roleOf(person)).toBe('viewer')
  })
})
