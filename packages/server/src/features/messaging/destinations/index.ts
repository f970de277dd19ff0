import { createDestination } from './endpoints/create-destination.ts'
import { deleteDestination } from './endpoints/delete-destination.ts'
import { disableDestination } from './endpoints/disable-destination.ts'
import { enableDestination } from './endpoints/enable-destination.ts'
import { getDestination } from './endpoints/get-destination.ts'
import { listDestinations } from './endpoints/list-destinations.ts'
import { rotateDestinationSecret } from './endpoints/rotate-destination-secret.ts'
import { updateDestination } from './endpoints/update-destination.ts'

export { deliveryJob } from './delivery-job.ts'
export { type DeliveryTarget, deliveryTarget, findDeliveryTarget } from './delivery-target.ts'
export { encryptMetadata, encryptStoredDestinations, findEndpoint } from './destination-metadata.ts'
export { encryptSecrets } from './destination-secrets.ts'
export { breakerFailures } from './health-rules.ts'
export { disableForFailure, takeProbe, updateDestinationHealth } from './health-store.ts'
export type { DestinationHooks } from './hooks.ts'
export type { Destination } from './model.ts'
export { DestinationNotFound } from './problems.ts'
export {
  type DestinationRow,
  destinationNames,
  findDestination,
  findDestinationById,
  findDestinationByName,
  findDestinationsByName,
  insertDestination,
  listDestinations as listDestinationRows,
} from './store.ts'

export const destinationsEndpoints = [
  createDestination,
  listDestinations,
  getDestination,
  updateDestination,
  deleteDestination,
  rotateDestinationSecret,
  enableDestination,
  disableDestination,
]
