import { testDestination } from './endpoints/test-destination.ts'
import { deliverMessages } from './jobs/deliver-messages.ts'

export type { DeliveryRate } from './delivery-rate.ts'

export { createDeliveryRate } from './delivery-rate.ts'
export { deliveryTicks } from './poll.ts'

export const deliveryEndpoints = [testDestination]

export const deliveryJobs = [deliverMessages]
