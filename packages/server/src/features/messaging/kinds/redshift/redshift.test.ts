import { expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { awsSecret } from '../aws.testkit.ts'
import { openForTest, testMessages } from '../conformance.testkit.ts'
import { harness } from './conformance.testkit.ts'
import { redshift } from './index.ts'

it('refuses a message that the column cannot hold, with the reason, and delivers the others', async () => {
  const target = await harness.start()
  const { send, close } = openForTest(redshift, target.settings)
  const results = await send(testMessages('first', 'x'.repeat(65_536), 'third'))
  expect(results).toMatchObject([
    { outcome: 'delivered' },
    { outcome: 'refused', error: expect.stringContaining('65535') },
    { outcome: 'delivered' },
  ])
  await close()
  await target.stop()
})

it.each([
  [{}, 'workgroupName'],
  [{ workgroupName: 'crm', clusterIdentifier: 'crm' }, 'workgroupName'],
  [{ workgroupName: 'crm', dbUser: 'mortise' }, 'dbUser'],
])('needs either a workgroup or a cluster: %j', (target, name) => {
  const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: awsSecret }
  const input = { region: 'eu-central-1', dbName: 'crm', tableName: 'messages', ...keys, ...target }
  const guard = createAddressGuard({ allow: parseAllowedNetworks('') })
  const { issues } = redshift.readSettings(input, 'metadata', { guard })
  expect(issues.map((issue) => issue.name)).toEqual([`metadata.${name}`])
})
