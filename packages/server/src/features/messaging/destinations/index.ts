import { drainDestination } from './jobs/drain-destination.ts'
import { replayMessages as replayMessagesJob } from './jobs/replay-messages.ts'
import { createDestination } from './operations/create-destination.ts'
import { deleteDestination } from './operations/delete-destination.ts'
import { disableDestination } from './operations/disable-destination.ts'
import { enableDestination } from './operations/enable-destination.ts'
import { getDestination } from './operations/get-destination.ts'
import { getMessage } from './operations/get-message.ts'
import { getMessageReplay } from './operations/get-message-replay.ts'
import { getResult } from './operations/get-result.ts'
import { listDestinations } from './operations/list-destinations.ts'
import { listMessageAttempts } from './operations/list-message-attempts.ts'
import { listMessages } from './operations/list-messages.ts'
import { replayMessages } from './operations/replay-messages.ts'
import { rotateDestinationSecret } from './operations/rotate-destination-secret.ts'
import { streamMessages } from './operations/stream-messages.ts'
import { testDestination } from './operations/test-destination.ts'
import { updateDestination } from './operations/update-destination.ts'

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

export const destinationsOperations = [
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
