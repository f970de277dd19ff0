import { renewLeases } from '../messages/index.ts'
import { leaseSeconds } from './delivery-rules.ts'
import type { DeliveryState } from './delivery-state.ts'

/** Renews the leases of messages that wait, are being sent, or are not settled yet. Not while it still does. */
export async function renewClaims(state: DeliveryState): Promise<void> {
  const { db, services, ready, sending, ended } = state
  const claimed = [...ready, ...sending, ...ended.map(({ message }) => message)]
  if (claimed.length === 0 || state.isRenewing) return
  state.isRenewing = true
  try {
    await renewLeases(db, claimed, leaseSeconds)
  } catch (error) {
    services.log.warn({ err: error }, 'failed to renew the leases of messages')
  } finally {
    state.isRenewing = false
  }
}
