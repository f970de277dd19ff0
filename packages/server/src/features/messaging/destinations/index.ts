import { createDestination } from './endpoints/create-destination.ts'
import { deleteDestination } from './endpoints/delete-destination.ts'
import { disableDestination } from './endpoints/disable-destination.ts'
import { enableDestination } from './endpoints/enable-destination.ts'
import { getDestination } from './endpoints/get-destination.ts'
import { getMessage } from './endpoints/get-message.ts'
import { getMessageReplay } from './endpoints/get-message-replay.ts'
import { getResult } from './endpoints/get-result.ts'
import { listDestinations } from './endpoints/list-destinations.ts'
import { listMessageAttempts } from './endpoints/list-message-attempts.ts'
import { listMessages } from './endpoints/list-messages.ts'
import { replayMessages } from './endpoints/replay-messages.ts'
import { rotateDestinationSecret } from './endpoints/rotate-destination-secret.ts'
import { streamMessages } from './endpoints/stream-messages.ts'
import { testDestination } from './endpoints/test-destination.ts'
import { updateDestination } from './endpoints/update-destination.ts'
import { drainDestination } from './jobs/drain-destination.ts'
import { replayMessages as replayMessagesJob } from './jobs/replay-messages.ts'

export {
  type CutLimits,
  type CutMessage,
  cutDataMessages,
  type DataMessageHeader,
  messageBytesMax,
  type NewMessage,
} from './data-message.ts'
export { dataMessageSchema, fieldChanges, schemaWatchMessageSchema, WatchedField } from './data-message-schema.ts'
export { createDeliveryRate } from './delivery-rate.ts'
export { findMetadata, sealStoredDestinations } from './destination-metadata.ts'
export { type ErasedMessages, eraseLateMessages, eraseMessages } from './erase-store.ts'
export { maskedUrl } from './masked-metadata.ts'
export { partUrl } from './part-urls.ts'
export { postMessages } from './post-messages.ts'
export { DestinationNotFound } from './problems.ts'
export { type DestinationRow, destinationNames, findDestination, findDestinationByName } from './store.ts'
export { destinationsTicks } from './sweep.ts'

export const destinationsEndpoints = [
  createDestination,
  listDestinations,
  getDestination,
  updateDestination,
  deleteDestination,
  rotateDestinationSecret,
  testDestination,
  enableDestination,
  disableDestination,
  listMessages,
  streamMessages,
  getMessage,
  listMessageAttempts,
  replayMessages,
  getMessageReplay,
  getResult,
]

export const destinationsJobs = [drainDestination, replayMessagesJob]
