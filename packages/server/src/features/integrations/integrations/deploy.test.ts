import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { type DeployRig, type IntegrationBody, type ProblemBody, startDeployRig } from '../../../testkit/deploy-rig.ts'

let rig: DeployRig
beforeAll(async () => {
  rig = await startDeployRig()
})
afterAll(() => rig?.stop())
beforeEach(() => {
  rig.changes.length = 0
})

const object = (name: string, schedule = '*/30 * * * *') =>
  `{ objectName: ${name}, destination: hook, schedule: "${schedule}", requiredFields: [{ fieldName: id }] }`
const integration = (name: string, objects: string[], provider = 'hubspot') =>
  `  - { name: ${name}, provider: ${provider}, read: { objects: [${objects.join(', ')}] } }\n`
const manifest = (...integrations: string[]) => `specVersion: 1.0.0\nintegrations:\n${integrations.join('')}`

const revisionsOf = (id: string) =>
  rig.db.sql.selectFrom('revisions').select('id').where('integration_id', '=', id).execute()

describe('a deploy', () => {
  it('answers with the integrations of the manifest, in its order and as they were written', async () => {
    const { status, body } = await rig.deploy(
      manifest(integration('zebra', [object('contacts')]), integration('ant', [object('leads')], 'salesforce')),
    )
    expect(status).toBe(200)
    expect(body.map(({ name }) => name)).toEqual(['zebra', 'ant'])
    expect(body[1]).toMatchObject({
      projectId: rig.projectId,
      provider: 'salesforce',
      latestRevision: { specVersion: '1.0.0' },
    })
    expect(body[1]).not.toHaveProperty('updateTime')
    expect(body[1]?.latestRevision.content).toEqual({
      name: 'ant',
      provider: 'salesforce',
      read: {
        objects: [
          { objectName: 'leads', destination: 'hook', schedule: '*/30 * * * *', requiredFields: [{ fieldName: 'id' }] },
        ],
      },
    })
    const stored = await rig.call<IntegrationBody>('GET', `/projects/default/integrations/${body[1]?.id}`)
    expect(stored.body).toEqual(body[1])
  })

  it('makes no revision of what did not change, whatever the order of its keys', async () => {
    const before = (await rig.deploy(manifest(integration('same', [object('contacts')])))).body[0]!
    rig.changes.length = 0
    const again = await rig.deploy(
      'integrations:\n  - provider: hubspot\n    read: { objects: [{ schedule: "*/30 * * * *", objectName: contacts, requiredFields: [{ fieldName: id }], destination: hook }] }\n    name: same\nspecVersion: 1.0.0\n',
    )
    expect(again.body).toEqual([before])
    expect(await revisionsOf(before.id)).toHaveLength(1)
    expect(rig.changes).toEqual([])
  })

  it('gives a changed integration a new revision under its old id, and leaves the others alone', async () => {
    const first = await rig.deploy(
      manifest(integration('a', [object('contacts')]), integration('b', [object('deals')])),
    )
    rig.changes.length = 0
    const second = await rig.deploy(
      manifest(integration('a', [object('contacts', '0 * * * *')]), integration('b', [object('deals')])),
    )
    const [a, b] = second.body
    expect(a?.id).toBe(first.body[0]?.id)
    expect(a?.latestRevision.id).not.toBe(first.body[0]?.latestRevision.id)
    expect(a?.updateTime).toBe(a?.latestRevision.createTime)
    expect(b).toEqual(first.body[1])
    expect(await revisionsOf(a!.id)).toHaveLength(2)
    expect((await rig.call('GET', '/projects/default/integrations/a')).body).toEqual(a)
  })

  it('tells what builds on it each change once, with both contents', async () => {
    const { body } = await rig.deploy(manifest(integration('hooked', [object('contacts'), object('deals')])))
    const integrationId = body[0]!.id
    await rig.deploy(manifest(integration('hooked', [object('contacts')])), '?destructive=true')
    expect(rig.changes).toMatchObject([
      { integrationId, destructive: false },
      { integrationId, destructive: true },
    ])
    expect(rig.changes[0]?.before).toBeUndefined()
    expect(rig.changes[1]?.before).toEqual(rig.changes[0]?.after)
    expect(rig.changes[1]?.after.read?.objects.map(({ objectName }) => objectName)).toEqual(['contacts'])
  })

  it('keeps integrations that the manifest does not name', async () => {
    await rig.deploy(manifest(integration('kept', [object('contacts')])))
    await rig.deploy(manifest(integration('another', [object('contacts')])), '?destructive=true')
    expect((await rig.call('GET', '/projects/default/integrations/kept')).status).toBe(200)
  })

  it('takes turns with another one of the same project: one integration, one revision each', async () => {
    const deploys = Array.from({ length: 8 }, (_, at) =>
      rig.deploy(manifest(integration('contested', [object('contacts', `${at} * * * *`)]))),
    )
    const answers = await Promise.all(deploys)
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(new Set(answers.map(({ body }) => body[0]?.id)).size).toBe(1)
    expect(await revisionsOf(answers[0]!.body[0]!.id)).toHaveLength(8)
    const told = rig.changes.map(({ before, after }) => [
      before?.read?.objects[0]?.schedule,
      after.read?.objects[0]?.schedule,
    ])
    // Each one saw what the one before it had left.
    expect(told[0]?.[0]).toBeUndefined()
    for (let at = 1; at < told.length; at++) expect(told[at]?.[0]).toBe(told[at - 1]?.[1])
  })

  it('changes nothing when one integration of many is invalid, and names every error with its place', async () => {
    const { status, body } = await rig.deploy<ProblemBody>(
      manifest(
        integration('fine', [object('contacts')]),
        integration('bad', [object('contacts', '61 * * * *')], 'nobody'),
      ),
    )
    expect(status).toBe(422)
    expect(body.issues.map(({ context }) => context['rule']).sort()).toEqual([
      'provider-not-supported',
      'schedule-valid-cron',
    ])
    for (const issue of body.issues) {
      expect(issue).toMatchObject({ in: 'body', context: { line: 4, column: expect.any(Number) } })
      expect(issue.name).toMatch(/^\$\.integrations\[1\]\./)
      expect(issue.remedy).toBeTruthy()
    }
    expect((await rig.call('GET', '/projects/default/integrations/fine')).status).toBe(404)
    expect(rig.changes).toEqual([])
  })

  it('refuses a cron that never fires', async () => {
    const { status, body } = await rig.deploy<ProblemBody>(
      manifest(integration('never', [object('contacts', '0 0 31 2 *')])),
    )
    expect(status).toBe(422)
    expect(body.issues[0]?.context).toMatchObject({ rule: 'schedule-never-fires', line: 3 })
  })

  it('turns advice into errors when it is strict, and counts it when it is not', async () => {
    const yaml = manifest(integration('advised', [object('contacts')]))
    const lenient = await rig.deploy(yaml)
    expect(lenient.status).toBe(200)
    expect(lenient.headers.get('x-mortise-advice-count')).toBe('1')
    const strict = await rig.deploy<ProblemBody>(yaml, '?strict=true')
    expect(strict.status).toBe(422)
    expect(strict.body.issues.map(({ context }) => context['rule'])).toEqual(['destination-not-found'])
  })

  it('refuses keys that reach for prototypes', async () => {
    const { status, body } = await rig.deploy<ProblemBody>(
      `__proto__: { polluted: true }\n${manifest(integration('p', [object('o')]))}`,
    )
    expect(status).toBe(422)
    expect(body.issues[0]?.context['rule']).toBe('yaml-forbidden-key')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    const inJson = await rig.call(
      'PUT',
      '/projects/default/integrations:batch',
      '{"sourceYaml":"a","__proto__":{"x":1}}',
    )
    expect(inJson.status).toBe(422)
  })

  it.each([
    ['a source that is no string', { sourceYaml: 7 }, ''],
    ['a list', [], ''],
    ['a text', '"text"', ''],
    ['no body', undefined, ''],
    ['an option that is neither true nor false', { sourceYaml: 'a: 1' }, '?destructive=perhaps'],
  ])('answers %s with 422 and its issues', async (_, body, query) => {
    const answer = await rig.call<ProblemBody>('PUT', `/projects/default/integrations:batch${query}`, body)
    expect(answer).toMatchObject({ status: 422, body: { context: { code: 'unacceptable-input' } } })
    expect(answer.body.issues.length).toBeGreaterThan(0)
  })

  it('refuses both sources, and neither', async () => {
    for (const body of [{}, { sourceYaml: 'a', sourceZipUrl: 'https://example.com/a.zip' }]) {
      const answer = await rig.call<ProblemBody>('PUT', '/projects/default/integrations:batch', body)
      expect(answer.status).toBe(422)
      expect(answer.body.issues).toMatchObject([{ in: 'body', context: { rule: 'one-source' } }])
    }
  })

  it('refuses a body of 50 MB with 413, before it has arrived', async () => {
    const sending = request(`${rig.url}/v1/projects/default/integrations:batch`, {
      method: 'PUT',
      headers: { 'x-api-key': rig.apiKey, 'content-type': 'application/json', 'content-length': 50 * 1024 * 1024 },
    })
    sending.on('error', () => undefined)
    sending.write('{"sourceYaml":"')
    const [answer] = (await once(sending, 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(413)
    expect(await json(answer)).toMatchObject({ context: { code: 'body-too-large' } })
    sending.destroy()
  })

  it('refuses an alias bomb within a second', async () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x]']
    for (let at = 1; at < 12; at++)
      lines.push(
        `a${at}: &a${at} [${Array(9)
          .fill(`*a${at - 1}`)
          .join(',')}]`,
      )
    const { status, body } = await rig.deploy<ProblemBody>(lines.join('\n'))
    expect(status).toBe(422)
    expect(body.issues[0]?.context['rule']).toBe('yaml-alias')
  })

  it('lets nobody in with a wrong key, and shows another project as missing', async () => {
    const yaml = manifest(integration('mine', [object('contacts')]))
    const id = (await rig.deploy(yaml)).body[0]!.id
    const wrong = { apiKey: `mortise_${'x'.repeat(32)}` }
    expect((await rig.call('PUT', '/projects/default/integrations:batch', { sourceYaml: yaml }, wrong)).status).toBe(
      401,
    )
    const { apiKey } = rig.other
    const missing = await rig.call<ProblemBody>(
      'GET',
      '/projects/other/integrations/00000000-0000-7000-8000-000000000000',
      undefined,
      { apiKey },
    )
    const foreign = await rig.call<ProblemBody>('GET', `/projects/other/integrations/${id}`, undefined, { apiKey })
    expect(foreign.status).toBe(404)
    expect({ ...foreign.body, time: 0, requestId: 0, instance: 0 }).toEqual({
      ...missing.body,
      time: 0,
      requestId: 0,
      instance: 0,
    })
    for (const method of ['GET', 'DELETE']) {
      expect((await rig.call(method, `/projects/default/integrations/${id}`, undefined, { apiKey })).status).toBe(404)
      expect((await rig.call(method, `/projects/other/integrations/${id}`, undefined, { apiKey })).status).toBe(404)
    }
    expect((await rig.call('GET', `/projects/default/integrations/${id}`)).status).toBe(200)
  })
})

describe('validating', () => {
  it('lists errors and advice and changes nothing', async () => {
    const sourceYaml = manifest(integration('looked-at', [object('contacts'), object('contacts')]))
    const { status, body } = await rig.call<{ valid: boolean; findings: Record<string, unknown>[] }>(
      'POST',
      '/projects/default/integrations:validate',
      { sourceYaml },
    )
    expect(status).toBe(200)
    expect(body.valid).toBe(false)
    expect(body.findings.map(({ level, rule }) => `${level} ${rule}`)).toEqual(
      expect.arrayContaining(['error duplicate-read-object', 'advice destination-not-found']),
    )
    expect((await rig.call('GET', '/projects/default/integrations/looked-at')).status).toBe(404)
  })
})

describe('integrations', () => {
  it('are listed oldest first', async () => {
    await rig.deploy(manifest(integration('list-b', [object('contacts')]), integration('list-a', [object('contacts')])))
    const { body } = await rig.call<IntegrationBody[]>('GET', '/projects/default/integrations')
    const names = body.map(({ name }) => name)
    expect(names.indexOf('list-b')).toBeLessThan(names.indexOf('list-a'))
    expect(body.map(({ id }) => id)).toEqual(body.map(({ id }) => id).toSorted())
  })

  it('are found by id and by name, also by a name that holds a dot or an escaped colon', async () => {
    const { body } = await rig.deploy(manifest(integration('"v1.2:x"', [object('contacts')])))
    for (const ref of [body[0]?.id, 'v1.2%3Ax', body[0]?.id.toUpperCase()])
      expect((await rig.call('GET', `/projects/default/integrations/${ref}`)).body).toEqual(body[0])
    expect((await rig.call<ProblemBody>('GET', '/projects/default/integrations/no-uuid')).body.context.code).toBe(
      'integration-not-found',
    )
  })

  it('are deleted with their revisions and installations, and connections stay', async () => {
    const { body } = await rig.deploy(manifest(integration('doomed', [object('contacts')])))
    const { id, latestRevision } = body[0]!
    await installed(id, latestRevision.id)
    expect((await rig.call('DELETE', '/projects/default/integrations/doomed')).status).toBe(204)
    expect(await revisionsOf(id)).toEqual([])
    expect(await rig.db.sql.selectFrom('installations').select('id').execute()).toEqual([])
    expect(await rig.db.sql.selectFrom('configs').select('id').execute()).toEqual([])
    expect(await rig.db.sql.selectFrom('read_states').select('object_name').execute()).toEqual([])
    expect(await rig.db.sql.selectFrom('connections').select('id').execute()).toHaveLength(1)
    expect((await rig.call('DELETE', '/projects/default/integrations/doomed')).status).toBe(404)
  })
})

/** A customer who has installed an integration and reads one object. */
async function installed(integration_id: string, revision_id: string): Promise<void> {
  const project_id = rig.projectId
  const [connection_id, installation_id, config_id] = [newId(), newId(), newId()]
  const who = { group_ref: 'g', consumer_ref: 'c' }
  await rig.db.transaction(async ({ sql }) => {
    await sql.insertInto('groups').values({ project_id, group_ref: 'g', group_name: 'g' }).execute()
    await sql.insertInto('consumers').values({ project_id, consumer_ref: 'c', consumer_name: 'c' }).execute()
    await sql
      .insertInto('connections')
      .values({ project_id, id: connection_id, provider: 'hubspot', auth_scheme: 'apiKey', status: 'created', ...who })
      .execute()
    await sql
      .insertInto('installations')
      .values({
        project_id,
        id: installation_id,
        integration_id,
        group_ref: 'g',
        connection_id,
        config_id,
        created_by: 'consumer:c',
      })
      .execute()
    await sql
      .insertInto('configs')
      .values({
        project_id,
        id: config_id,
        installation_id,
        version: 1,
        revision_id,
        content: '{}',
        created_by: 'builder:b',
      })
      .execute()
    await sql.insertInto('read_states').values({ project_id, installation_id, object_name: 'contacts' }).execute()
  })
}
