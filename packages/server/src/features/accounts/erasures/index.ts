import { deleteConsumer } from './endpoints/delete-consumer.ts'
import { deleteGroup } from './endpoints/delete-group.ts'
import { finishErasureHandler } from './jobs/finish-erasure.ts'

export { erasuresTicks } from './enqueue-due-erasures.ts'
export type { ErasureHooks } from './hooks.ts'

export const erasuresEndpoints = [deleteGroup, deleteConsumer]
export const erasuresJobs = [finishErasureHandler]
