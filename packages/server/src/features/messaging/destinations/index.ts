import { createDestination } from './endpoints/create-destination.ts'
import { deleteDestination } from './endpoints/delete-destination.ts'
import { deleteDestinationConnection } from './endpoints/delete-destination-connection.ts'
import { deleteDestinationGroup } from './endpoints/delete-destination-group.ts'
import { disableDestination } from './endpoints/disable-destination.ts'
import { enableDestination } from './endpoints/enable-destination.ts'
import { getDestination } from './endpoints/get-destination.ts'
import { listDestinationConnections } from './endpoints/list-destination-connections.ts'
import { listDestinationGroups } from './endpoints/list-destination-groups.ts'
import { listDestinations } from './endpoints/list-destinations.ts'
import { rotateDestinationSecret } from './endpoints/rotate-destination-secret.ts'
import { setDestinationConnection } from './endpoints/set-destination-connection.ts'
import { setDestinationGroup } from './endpoints/set-destination-group.ts'
import { updateDestination } from './endpoints/update-destination.ts'

export { countDeadLetters, deadLettersCounted } from './dead-letter-counts.ts'
export { deadLettersEvent, destinationsTicks, markDeadLetters, noticeDeadLetters } from './dead-letter-notices.ts'
export { deliveryJob } from './delivery-job.ts'
export { type DeliveryTarget, deliveryTarget, findDeliveryTarget } from './delivery-target.ts'
export { encryptMetadata, encryptStoredDestinations, findEndpoint } from './destination-metadata.ts'
export { encryptSecrets } from './destination-secrets.ts'
export { eraseDestinationGroup } from './group-store.ts'
export { breakerFailures } from './health-rules.ts'
export { disableForFailure, takeProbe, updateDestinationHealth } from './health-store.ts'
export type { DestinationHooks, NewDeadLetters } from './hooks.ts'
export type { Destination } from './model.ts'
export { DestinationNotFound } from './problems.ts'
export {
  type DestinationRow,
  destinationNames,
  findDestination,
  findDestinationById,
  findDestinationByName,
  findDestinationsByName,
  findDestinationsNamed,
  insertDestination,
  listDestinations as listDestinationRows,
  lockDestination,
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
  listDestinationGroups,
  setDestinationGroup,
  deleteDestinationGroup,
  listDestinationConnections,
  setDestinationConnection,
  deleteDestinationConnection,
]
