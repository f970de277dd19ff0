import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type DeliveryRig,
  startDeliveryRig,
} from '../../packages/server/src/features/messaging/delivery/testing/delivery-rig.ts'
import { encryptMetadata } from '../../packages/server/src/features/messaging/destinations/destination-metadata.ts'

let rig: DeliveryRig
let receiver: WebhookReceiver
beforeAll(async () => {
  rig = await startDeliveryRig()
  receiver = await startWebhookReceiver({ storeBodies: true })
})
afterAll(async () => {
  await receiver?.close()
  await rig?.app.stop()
})

const base = '/projects/default/destinations'

it('a template that an earlier release stored and this one refuses delivers nothing until it is corrected', async () => {
  const { id, name, secret } = await rig.create(receiver.url)
  receiver.setSecret(secret)
  const bodyTemplate = '{text: to_string([to_string([objectName])])}'
  const metadata = encryptMetadata(
    rig.app.keyring,
    { project_id: rig.app.projectId, id },
    { url: receiver.url, bodyTemplate },
  )
  await sql`update destinations set encrypted_metadata = ${metadata} where id = ${id}`.execute(rig.app.db.sql)

  await rig.post(name, { objectName: 'contact' })
  await rig.deliver(id)
  const error = expect.stringContaining('The bodyTemplate of this destination is not accepted by this release.')
  expect(await rig.attempts(id)).toMatchObject([{ number: 1, status: null, error }])
  expect(receiver.bodies).toEqual([])
  const shown = () => rig.app.call<{ status: string }>('GET', `${base}/${id}`)
  expect((await shown()).body.status).toBe('failing')
  expect((await rig.app.call('POST', `${base}/${id}:test`)).body).toMatchObject({ delivered: false, error })

  const update = {
    updateMask: ['metadata.bodyTemplate'],
    destination: { metadata: { bodyTemplate: '{text: objectName}' } },
  }
  expect((await rig.app.call('PATCH', `${base}/${id}`, update)).status).toBe(200)
  await rig.pass(id, 60_000)
  await rig.deliver(id)
  expect((await shown()).body.status).toBe('active')
  expect((await rig.attempts(id)).at(-1)).toMatchObject({ status: 204, error: null })
  expect(receiver.bodies).toEqual([{ text: 'contact' }])
})
