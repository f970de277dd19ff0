import { expect, it } from 'vitest'
import { loadCatalogue } from '../../catalogue/load-catalogue.ts'
import { testCache } from '../../testing/test-cache.testkit.ts'
import { lifecycleOf } from './lifecycle.ts'
import { parseEvents } from './parse-events.ts'

const catalogue = await loadCatalogue({ cacheDir: testCache })
const microsoft = catalogue.find('microsoft')?.file?.webhooks
if (!microsoft) throw new Error('microsoft has no webhooks')

/** As learn.microsoft.com/graph/change-notifications-lifecycle-events shows one. */
const notification = (lifecycleEvent: string) => ({
  subscriptionId: '7f105c7d-2dc5-4530-97cd-4e7ae6534c07',
  subscriptionExpirationDateTime: '2026-01-09T00:00:00.0000000Z',
  tenantId: '84bd8158-6d4d-4958-8b9f-9d6445542f95',
  clientState: 'secret',
  lifecycleEvent,
})

it('reads what Microsoft says about a subscription, which is no event of a record', () => {
  const payload = { value: ['reauthorizationRequired', 'subscriptionRemoved', 'missed'].map(notification) }
  expect(lifecycleOf(microsoft, payload, {})).toEqual(new Set(['renew', 'lost', 'missed']))
  expect(parseEvents(microsoft, payload, {})).toEqual([])
})

it('finds nothing in events, in other notifications, and in payloads of other shapes', () => {
  const event = { changeType: 'updated', resourceData: { id: '1' } }
  for (const payload of [{ value: [event] }, { value: [notification('other')] }, { value: 'missed' }, [null], 5, null])
    expect(lifecycleOf(microsoft, payload, {})).toEqual(new Set())
})
