import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type InstallationBody, type InstallationKit, startInstallationKit } from '../../../testkit/installation-kit.ts'
import { installAutomatically, installsByItself } from './automatic-install.ts'

const object = { objectName: 'contacts', destination: 'hook', schedule: '0 * * * *' }

describe('an integration installs by itself', () => {
  test.each([
    [
      'with an object that is always read',
      [{ ...object, enabled: 'always' as const, requiredFields: [{ fieldName: 'a' }] }],
      true,
    ],
    [
      'with a mapping that has a default',
      [{ ...object, enabled: 'always' as const, requiredFields: [{ mapToName: 'a', default: 'b' }] }],
      true,
    ],
    [
      'not when a mapping has to be asked for',
      [{ ...object, enabled: 'always' as const, requiredFields: [{ mapToName: 'a' }] }],
      false,
    ],
    [
      'not when one of several has to be asked for',
      [
        { ...object, enabled: 'always' as const },
        { ...object, enabled: 'always' as const, requiredFields: [{ mapToName: 'a' }] },
      ],
      false,
    ],
    [
      'whatever other objects need',
      [
        { ...object, enabled: 'always' as const },
        { ...object, requiredFields: [{ mapToName: 'a' }] },
      ],
      true,
    ],
    ['not without such an object', [object], false],
  ])('%s', (_, objects, expected) => {
    expect(installsByItself({ read: { objects } })).toBe(expected)
  })
})

describe('a new connection', () => {
  let kit: InstallationKit
  beforeAll(async () => {
    kit = await startInstallationKit()
    await kit.deploy(`specVersion: 1.0.0
integrations:
  - name: always
    provider: sampleCrm
    read:
      objects:
        - { objectName: contacts, destination: hook, schedule: "0 * * * *", enabled: always, requiredFields: [{ fieldName: email }] }
        - { objectName: companies, destination: hook, schedule: "0 * * * *" }
`)
  })
  afterAll(() => kit?.stop())
  const run = (connectionId: string, isNew: boolean) =>
    kit.app.db.transaction((tx) => installAutomatically(tx, kit.app.app.services, { connectionId, isNew }))
  const installations = async (groupRef: string) =>
    (await kit.app.call<InstallationBody[]>('GET', `${kit.path('always')}?groupRef=${groupRef}`)).body
  /** A connection of a group that has installed nothing. */
  const connected = async (groupRef: string) => {
    const connectionId = await kit.connect(groupRef)
    await sql`delete from installations where group_ref = ${groupRef}`.execute(kit.app.db.sql)
    return connectionId
  }

  test('installs what needs no choices, and reads it', async () => {
    await run(await connected('auto'), true)
    const [installation, ...more] = await installations('auto')
    expect(more).toEqual([])
    expect(installation).toMatchObject({
      createdBy: 'consumer:ada',
      config: { createdBy: 'consumer:ada', content: { provider: 'sampleCrm', read: { objects: {} } } },
    })
    const { rows } = await sql`select object_name from read_states where installation_id = ${installation?.id}`.execute(
      kit.app.db.sql,
    )
    expect(rows).toEqual([{ object_name: 'contacts' }])
  })

  test('installs once for the group', async () => {
    await run(await connected('once'), true)
    await run(await kit.connect('once', { consumerRef: 'bob' }), true)
    expect(await installations('once')).toHaveLength(1)
  })

  test('installs nothing when it is an old one with another credential', async () => {
    await run(await connected('again'), false)
    expect(await installations('again')).toEqual([])
  })
})
