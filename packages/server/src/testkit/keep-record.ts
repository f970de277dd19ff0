import { storeRecords } from '../features/messaging/records/index.ts'
import { newId } from '../kernel/db/index.ts'
import type { TestApp } from './test-app.ts'

/** Creates a destination of type `records`, and stores a record as a delivery to it does. Returns its id. */
export async function keepRecord(
  { keyring, testDatabase, call }: Pick<TestApp, 'keyring' | 'testDatabase' | 'call'>,
  { projectId, installationId, groupRef }: { projectId: string; installationId: string; groupRef: string },
): Promise<string> {
  const body = { name: 'kept', type: 'records', metadata: {} }
  const answer = await call<{ id: string }>('POST', '/projects/default/destinations', body)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  const { id } = answer.body
  const message = newId()
  const record = { installation: installationId, object: 'contacts', group: groupRef, provider: 'sampleCrm' }
  const content = { message, value: { fields: { email: 'ada@acme.example' }, mappedFields: { stage: 'lead' } } }
  await storeRecords(
    testDatabase.database.forProject(projectId),
    { keyring, destinationId: id },
    [{ ...record, workspace: '', id: 'con_0000001', message, isDeleted: false, content }],
    { isEncrypted: true },
  )
  return id
}
