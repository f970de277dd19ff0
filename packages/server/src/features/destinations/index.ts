import { drainDestination } from './jobs/drain-destination.ts'
import { createDestination } from './operations/create-destination.ts'
import { deleteDestination } from './operations/delete-destination.ts'
import { getDestination } from './operations/get-destination.ts'
import { getResult } from './operations/get-result.ts'
import { listDestinations } from './operations/list-destinations.ts'
import { updateDestination } from './operations/update-destination.ts'

export {
  type CutLimits,
  type CutMessage,
  cutDataMessages,
  type DataMessageHeader,
  messageBytesMax,
  type NewMessage,
} from './data-message.ts'
export { postMessages } from './post-messages.ts'
export { type DestinationRow, destinationNames, findDestination, findDestinationByName } from './store.ts'
export { destinationsTicks } from './sweep.ts'

export const destinationsOperations = [
  createDestination,
  listDestinations,
  getDestination,
  updateDestination,
  deleteDestination,
  getResult,
]

export const destinationsJobs = [drainDestination]
