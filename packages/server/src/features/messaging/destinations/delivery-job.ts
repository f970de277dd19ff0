import { jobReference } from '../../../kernel/jobs/index.ts'

/** The job that delivers to one destination: its key is the id of the destination. `delivery` runs it. */
export const deliveryJob = jobReference<{ projectId: string; destinationId: string }>('destinations.drain')
