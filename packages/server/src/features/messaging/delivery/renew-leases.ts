import { renewLeases } from '../messages/index.ts'
import { leaseSeconds } from './delivery-rules.ts'
import type { DeliveryState } from './delivery-state.ts'

/** Renews the leases of messages that wait, are being sent, or are not settled yet. */
export async function renewClaims({ db, services, ready, sending, ended }: DeliveryState): Promise<void> {
  const claimed = [...ready, ...sending, ...ended.map(({ message }) => message)]
  if (claimed.length === 0) return
  try {
    await renewLeases(db, claimed, leaseSeconds)
  } catch (error) {
    services.log.warn({ err: error }, 'failed to renew the leases of messages')
  }
}
